/**
 * How `finishAttempt` ends a delivery after an ambiguous attempt, also with an outcome that arrives late.
 */
import { describe, expect, it } from "vitest"
import type { HandOffResult } from "../../../src/decide/delivery/handOffResult.ts"
import { finishAttempt } from "../../../src/decide/delivery/finishAttempt.ts"
import type { Delivery } from "../../../src/domain/delivery/Delivery.ts"
import { attempt, delivery, nextState, now } from "../fixtures.ts"
import { died, facts, lost, ofTag, refused, reply } from "./finishAttemptFacts.ts"

describe("finishAttempt, after an ambiguous attempt", () => {
  it.each<[string, HandOffResult, Partial<Delivery>]>([
    ["a temporary refusal after the lifetime", refused("rcpt", 450), { deferrals: 0 }],
    ["a lost connection after the lifetime", lost, {}],
    ["a third dead worker before finalizing", died, { workerDeaths: 2 }]
  ])("leaves the delivery uncertain after %s", (_, result, state) => {
    const given = facts({ expiresAt: now + 1, state: { ambiguousAttempts: 1, reachedRelay: true, ...state } })
    const { changes } = finishAttempt(result, given)
    expect(nextState(changes)).toMatchObject({
      status: "failed",
      reason: "delivery_uncertain",
      bounceType: null,
      chargedAt: now
    })
  })

  it("fails a delivery as message_blocked when a permanent refusal follows an ambiguous attempt", () => {
    const given = facts({ state: { ambiguousAttempts: 1, reachedRelay: true } })
    expect(nextState(finishAttempt(refused("endOfData", 554, "5.7.1"), given).changes)).toMatchObject({
      status: "failed",
      reason: "message_blocked"
    })
  })
})

describe("finishAttempt, with a result after another worker has finished the attempt", () => {
  const ambiguousAttempt = attempt({ phase: "ended", outcome: "ambiguous" })
  const waiting = delivery({
    status: "queued",
    attemptCount: 1,
    ambiguousAttempts: 1,
    reachedRelay: true,
    dueAt: now + 1
  })
  const uncertain = delivery({ ...waiting, status: "failed", reason: "delivery_uncertain", dueAt: null })
  const accepted: HandOffResult = { _tag: "Accepted", reply: reply("endOfData", 250) }
  const delivered: HandOffResult = { _tag: "Delivered", reply: reply("endOfData", 250) }
  const late = (result: HandOffResult, state: Delivery, of = ambiguousAttempt) =>
    finishAttempt(result, { ...facts({ state: { fencingToken: 6 } }), delivery: state, attempt: of })

  it.each([
    ["accepted while the delivery waits for its next attempt", accepted, waiting, "accepted", "email.accepted"],
    ["delivered while the delivery waits for its next attempt", delivered, waiting, "delivered", "email.delivered"],
    ["accepted after the delivery failed as uncertain", accepted, uncertain, "accepted", "email.accepted"],
    ["delivered after the delivery failed as uncertain", delivered, uncertain, "delivered", "email.delivered"]
  ] as const)("applies a late outcome to a delivery: %s", (_, result, state, status, kind) => {
    const decision = late(result, state)
    expect(decision.answer).toBe(status)
    expect(nextState(decision.changes)).toMatchObject({ status, reason: null, dueAt: null, worker: null })
    expect(ofTag(decision.changes, "TransitionDelivery")).toMatchObject([{ fencingToken: state.fencingToken }])
    expect(ofTag(decision.changes, "AppendEvent")).toMatchObject([{ event: { kind } }])
    expect(decision.changes.map(({ _tag }) => _tag)).toEqual(["TransitionDelivery", "AppendEvent"])
  })

  it.each([
    ["the relay refused the message", refused("endOfData", 451), waiting, ambiguousAttempt],
    ["the connection was lost", lost, waiting, ambiguousAttempt],
    [
      "the next attempt has begun",
      accepted,
      delivery({ ...waiting, status: "sending", attemptCount: 2 }),
      ambiguousAttempt
    ],
    ["a later attempt has ended", accepted, delivery({ ...waiting, attemptCount: 2 }), ambiguousAttempt],
    [
      "a later attempt has ended as ambiguous too",
      accepted,
      delivery({ ...waiting, attemptCount: 2, ambiguousAttempts: 2 }),
      attempt({ number: 2, phase: "ended", outcome: "ambiguous" })
    ],
    ["the attempt was not ambiguous", accepted, waiting, attempt({ phase: "ended", outcome: "no_reply" })],
    [
      "a report has already moved the delivery",
      accepted,
      delivery({ ...waiting, status: "bounced" }),
      ambiguousAttempt
    ],
    [
      "the delivery failed for another reason",
      accepted,
      delivery({ ...uncertain, reason: "sending_failed" }),
      ambiguousAttempt
    ]
  ] as const)("ignores a late outcome when %s", (_, result, state, of) =>
    expect(late(result, state, of)).toEqual({ answer: "claim_lost", changes: [] })
  )
})
