/**
 * What `finishAttempt` keeps true for every result of a hand-off.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { HandOffResult } from "../../../src/decide/delivery/handOffResult.ts"
import { finishAttempt } from "../../../src/decide/delivery/finishAttempt.ts"
import { inCommitOrder } from "../../../src/domain/store/commitOrder.ts"
import type { SmtpReply } from "../../../src/domain/delivery/SmtpReply.ts"
import { attempt, nextState, now, project, suppression } from "../fixtures.ts"
import { died, facts, finalizingAttempt, lost, ofTag, reply, unconnected } from "./finishAttemptFacts.ts"

describe("finishAttempt, with any result", () => {
  const stages = fc.constantFrom<SmtpReply["stage"]>("connect", "greeting", "auth", "mail", "rcpt", "data", "endOfData")
  const replies = fc
    .tuple(
      stages,
      fc.option(fc.integer({ min: 200, max: 599 })),
      fc.option(fc.constantFrom("4.2.2", "5.1.1", "5.2.2", "5.7.1", "5.1.7"))
    )
    .map(([stage, code, enhanced]) => reply(stage, code, enhanced))
  const results: fc.Arbitrary<HandOffResult> = fc.oneof(
    fc
      .tuple(fc.constantFrom("Accepted", "Delivered", "Refused" as const), replies)
      .map(([_tag, reply]) => ({ _tag, reply })),
    fc.constantFrom<HandOffResult>(lost, unconnected, died, { _tag: "ShutDown" }, { _tag: "Revoked" })
  )
  const given = fc
    .record({
      phase: fc.constantFrom("started", "finalizing" as const),
      onAmbiguous: fc.constantFrom("retry", "fail" as const),
      idempotentHandOff: fc.boolean(),
      signalsFinalize: fc.boolean(),
      expiresAt: fc.option(fc.integer({ min: now + 1, max: now + 10 ** 8 })),
      suppressed: fc.boolean(),
      state: fc.record({
        ambiguousAttempts: fc.nat(4),
        workerDeaths: fc.nat(4),
        deferrals: fc.nat(80),
        reachedRelay: fc.boolean(),
        queuedAt: fc.integer({ min: now - 10 ** 9, max: now })
      })
    })
    .map(({ phase, suppressed, ...rest }) =>
      facts({ ...rest, attempt: attempt({ phase }), suppression: suppressed ? suppression("manual") : null })
    )

  it("gives back exactly the counters that the delivery no longer uses", () => {
    fc.assert(
      fc.property(results, given, (result, given) => {
        const { changes } = finishAttempt(result, given)
        const next = nextState(changes)
        inCommitOrder(changes)
        const spent = Object.fromEntries(ofTag(changes, "AddToCounter").map(({ name, by }) => [name, by]))
        expect(spent["allowance"] ?? 0).toBe(next.chargedAt === null ? -1 : 0)
        expect(spent["daily:2026-11-21"] ?? 0).toBe(next.countedDay === null ? -1 : 0)
        if (next.chargedAt === null) expect(next.reachedRelay).toBe(false)
        if (next.status === "failed" && next.reason === "temporary_failure") expect(next.chargedAt).toBeNull()
        expect(
          ofTag(changes, "AddToCounter").every(({ projectId, max }) => projectId === project && max === null)
        ).toBe(true)
      })
    )
  })

  it("leaves a delivery either queued with a due time or ended", () => {
    fc.assert(
      fc.property(results, given, (result, given) => {
        const next = nextState(finishAttempt(result, given).changes)
        expect(next.status).not.toBe("sending")
        expect(next.dueAt === null).toBe(next.status !== "queued")
        if (next.status === "queued") expect(next.dueAt).toBeGreaterThanOrEqual(now)
      })
    )
  })

  it("fails an ambiguous attempt without a retry when the send permits no second copy", () => {
    fc.assert(
      fc.property(fc.constantFrom<HandOffResult>(lost, died, { _tag: "ShutDown" }), given, (result, given) => {
        const { changes } = finishAttempt(result, {
          ...given,
          attempt: finalizingAttempt,
          onAmbiguous: "fail",
          idempotentHandOff: false
        })
        expect(nextState(changes)).toMatchObject({ status: "failed", reason: "delivery_uncertain" })
      })
    )
  })
})
