import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Ending, SettleFacts } from "../../src/decide/settleAttempt.ts"
import { settleAttempt, settleLate } from "../../src/decide/settleAttempt.ts"
import type { Change, ChangeOf } from "../../src/domain/Change.ts"
import { inCommitOrder } from "../../src/domain/Change.ts"
import type { Delivery } from "../../src/domain/Delivery.ts"
import { minuteMillis } from "../../src/domain/Instant.ts"
import { defaultRetryPolicy } from "../../src/domain/RetrySchedule.ts"
import type { SmtpReply } from "../../src/domain/SmtpReply.ts"
import { attempt, delivery, now, place, project, suppression } from "./fixtures.ts"

const reply = (stage: SmtpReply["stage"], code: number | null, enhancedCode: string | null = null): SmtpReply => ({
  stage,
  code,
  enhancedCode,
  text: "words"
})

const facts = (change: Partial<SettleFacts> & { readonly state?: Partial<Delivery> } = {}): SettleFacts => {
  const { state, ...rest } = change
  return {
    now,
    eventId: "evt_1",
    policy: defaultRetryPolicy,
    onAmbiguous: "retry",
    idempotentHandoff: false,
    expiresAt: null,
    delivery: delivery({ status: "sending", worker: "w", attempts: 1, ...state }),
    attempt: attempt(),
    place,
    suppression: null,
    ...rest
  }
}

const dot = attempt({ phase: "dot" })
const ofTag = <T extends Change["_tag"]>(changes: ReadonlyArray<Change>, tag: T): ReadonlyArray<ChangeOf<T>> =>
  changes.filter((change): change is ChangeOf<T> => change._tag === tag)

type Row = readonly [
  name: string,
  ending: Ending,
  facts: SettleFacts,
  status: string,
  more: Partial<Delivery>,
  outcome: string
]

const lost: Ending = { _tag: "Lost", why: "gone" }
const died: Ending = { _tag: "WorkerDied" }
const refused = (...of: Parameters<typeof reply>): Ending => ({ _tag: "Refused", reply: reply(...of) })

const rows: ReadonlyArray<Row> = [
  [
    "accepted",
    { _tag: "Accepted", reply: reply("dot", 250) },
    facts({ attempt: dot }),
    "accepted",
    { acceptedAt: now },
    "accepted"
  ],
  [
    "delivered",
    { _tag: "Delivered", reply: reply("dot", 250) },
    facts({ attempt: dot }),
    "delivered",
    { deliveredAt: now, acceptedAt: now },
    "delivered"
  ],
  [
    "an unknown mailbox",
    refused("rcpt", 550, "5.1.1"),
    facts(),
    "bounced",
    { reason: "hard_bounce", bounceType: "hard" },
    "rejected"
  ],
  ["a policy", refused("rcpt", 550, "5.7.1"), facts(), "failed", { reason: "message_blocked" }, "rejected"],
  ["the sender", refused("mail", 550), facts(), "failed", { reason: "sending_failed" }, "rejected"],
  ["a temporary refusal", refused("rcpt", 450), facts(), "queued", { deferrals: 1 }, "deferred"],
  ["a greeting", refused("greeting", 554), facts(), "queued", { deferrals: 0, reachedRelay: false }, "deferred"],
  [
    "a temporary refusal past the lifetime",
    refused("rcpt", 450),
    facts({ expiresAt: now + 1 }),
    "bounced",
    { reason: "temporary_failure", bounceType: "soft" },
    "deferred"
  ],
  ["silence before the dot", lost, facts(), "queued", { ambiguous: 0, deferrals: 0 }, "lost"],
  [
    "silence before the dot, past the lifetime",
    lost,
    facts({ expiresAt: now + 1 }),
    "failed",
    { reason: "temporary_failure", chargedAt: null, countedDay: null },
    "lost"
  ],
  [
    "silence before the dot, past the lifetime, of a relay that answered before",
    lost,
    facts({ expiresAt: now + 1, state: { reachedRelay: true } }),
    "bounced",
    { chargedAt: now },
    "lost"
  ],
  [
    "silence after the dot",
    lost,
    facts({ attempt: dot }),
    "queued",
    { ambiguous: 1, dueAt: now + 10 * minuteMillis },
    "ambiguous"
  ],
  [
    "silence after the dot, the third time",
    lost,
    facts({ attempt: dot, state: { ambiguous: 2 } }),
    "failed",
    { reason: "delivery_uncertain" },
    "ambiguous"
  ],
  [
    "silence after the dot, at most once",
    lost,
    facts({ attempt: dot, onAmbiguous: "fail" }),
    "failed",
    { reason: "delivery_uncertain", chargedAt: now },
    "ambiguous"
  ],
  [
    "silence after the dot, doubles dropped",
    lost,
    facts({ attempt: dot, idempotentHandoff: true }),
    "queued",
    { ambiguous: 0 },
    "lost"
  ],
  ["a shutdown before the dot", { _tag: "Released" }, facts(), "queued", { dueAt: now, crashes: 0 }, "released"],
  ["a shutdown after the dot", { _tag: "Released" }, facts({ attempt: dot }), "queued", { ambiguous: 1 }, "ambiguous"],
  [
    "a dot withheld",
    { _tag: "Withheld" },
    facts({ attempt: dot }),
    "queued",
    { dueAt: now + 5000, ambiguous: 0, reachedRelay: false },
    "released"
  ],
  ["a dead worker before the dot", died, facts(), "queued", { dueAt: now, crashes: 1 }, "lost"],
  ["a dead worker after the dot", died, facts({ attempt: dot }), "queued", { crashes: 1, ambiguous: 1 }, "ambiguous"],
  [
    "a third dead worker before the dot",
    died,
    facts({ state: { crashes: 2 } }),
    "failed",
    { reason: "sending_failed", crashes: 3, chargedAt: null },
    "lost"
  ],
  [
    "a third dead worker after the dot",
    died,
    facts({ attempt: dot, state: { crashes: 2 } }),
    "failed",
    { reason: "delivery_uncertain", chargedAt: now },
    "ambiguous"
  ]
]

describe("an attempt that ends with", () => {
  it.each(rows)("%s", (_, ending, given, status, more, outcome) => {
    const { changes, answer } = settleAttempt(ending, given)
    expect(answer).toMatchObject({ status, token: given.delivery.token + 1, worker: null, ...more })
    const [closed] = ofTag(changes, "MoveAttempt")
    expect(closed).toMatchObject({
      token: given.delivery.token,
      from: given.attempt.phase,
      next: { phase: "ended", outcome }
    })
    expect(ofTag(changes, "MoveDelivery")).toMatchObject([
      { from: "sending", token: given.delivery.token, next: { status } }
    ])
    const told = ofTag(changes, "AppendEvent").map(({ event }) => event.kind)
    const delayed = !["WorkerDied", "Released", "Withheld"].includes(ending._tag) && outcome !== "ambiguous"
    expect(told).toEqual(status !== "queued" ? [`email.${status}`] : delayed ? ["email.delayed"] : [])
    expect(ofTag(changes, "PutSuppression")).toHaveLength(answer.reason === "hard_bounce" ? 1 : 0)
  })
})

describe("every ending", () => {
  const stages = fc.constantFrom<SmtpReply["stage"]>("connect", "greeting", "auth", "mail", "rcpt", "data", "dot")
  const replies = fc
    .tuple(
      stages,
      fc.option(fc.integer({ min: 200, max: 599 })),
      fc.option(fc.constantFrom("4.2.2", "5.1.1", "5.2.2", "5.7.1", "5.1.7"))
    )
    .map(([stage, code, enhanced]) => reply(stage, code, enhanced))
  const endings: fc.Arbitrary<Ending> = fc.oneof(
    fc
      .tuple(fc.constantFrom("Accepted", "Delivered", "Refused" as const), replies)
      .map(([_tag, reply]) => ({ _tag, reply })),
    fc.constantFrom<Ending>(lost, died, { _tag: "Released" }, { _tag: "Withheld" })
  )
  const given = fc
    .record({
      phase: fc.constantFrom("started", "dot" as const),
      onAmbiguous: fc.constantFrom("retry", "fail" as const),
      idempotentHandoff: fc.boolean(),
      expiresAt: fc.option(fc.integer({ min: now + 1, max: now + 10 ** 8 })),
      suppressed: fc.boolean(),
      state: fc.record({
        ambiguous: fc.nat(4),
        crashes: fc.nat(4),
        deferrals: fc.nat(80),
        reachedRelay: fc.boolean(),
        queuedAt: fc.integer({ min: now - 10 ** 9, max: now })
      })
    })
    .map(({ phase, suppressed, ...rest }) =>
      facts({ ...rest, attempt: attempt({ phase }), suppression: suppressed ? suppression("manual") : null })
    )

  it("is a commit whose counters are exactly what the delivery stops holding", () => {
    fc.assert(
      fc.property(endings, given, (ending, given) => {
        const { changes, answer } = settleAttempt(ending, given)
        inCommitOrder(changes)
        const spent = Object.fromEntries(ofTag(changes, "SpendCounter").map(({ name, by }) => [name, by]))
        expect(spent["allowance"] ?? 0).toBe(answer.chargedAt === null ? -1 : 0)
        expect(spent["daily:2026-11-21"] ?? 0).toBe(answer.countedDay === null ? -1 : 0)
        if (answer.chargedAt === null) expect(answer.reachedRelay).toBe(false)
        expect(
          ofTag(changes, "SpendCounter").every(({ projectId, max }) => projectId === project && max === null)
        ).toBe(true)
      })
    )
  })

  it("leaves a delivery that a claim reaches or that has ended, never one in between", () => {
    fc.assert(
      fc.property(endings, given, (ending, given) => {
        const { answer } = settleAttempt(ending, given)
        expect(answer.status).not.toBe("sending")
        expect(answer.dueAt === null).toBe(answer.status !== "queued")
        if (answer.status === "queued") expect(answer.dueAt).toBeGreaterThanOrEqual(now)
      })
    )
  })

  it("never tries again after the dot where a second copy is not wanted", () => {
    fc.assert(
      fc.property(fc.constantFrom<Ending>(lost, died, { _tag: "Released" }), given, (ending, given) => {
        const { answer } = settleAttempt(ending, {
          ...given,
          attempt: dot,
          onAmbiguous: "fail",
          idempotentHandoff: false
        })
        expect(answer).toMatchObject({ status: "failed", reason: "delivery_uncertain" })
      })
    )
  })
})

describe("an outcome that comes after its attempt was settled as ambiguous", () => {
  const ambiguousAttempt = attempt({ phase: "ended", outcome: "ambiguous" })
  const waiting = delivery({ status: "queued", attempts: 1, ambiguous: 1, reachedRelay: true, dueAt: now + 1 })
  const uncertain = delivery({ ...waiting, status: "failed", reason: "delivery_uncertain", dueAt: null })
  const took: Ending = { _tag: "Accepted", reply: reply("dot", 250) }
  const delivered: Ending = { _tag: "Delivered", reply: reply("dot", 250) }
  const late = (ending: Ending, state: Delivery, of = ambiguousAttempt) =>
    settleLate(ending, { now, eventId: "evt_1", delivery: state, attempt: of })

  it.each([
    ["accepted, and waits for its next attempt", took, waiting, "accepted", "email.accepted"],
    ["delivered, and waits for its next attempt", delivered, waiting, "delivered", "email.delivered"],
    ["accepted, and failed as uncertain", took, uncertain, "accepted", "email.accepted"],
    ["delivered, and failed as uncertain", delivered, uncertain, "delivered", "email.delivered"]
  ] as const)("settles a delivery that was %s", (_, ending, state, status, kind) => {
    const decision = late(ending, state)!
    expect(decision.answer).toMatchObject({ status, reason: null, dueAt: null, worker: null, token: state.token + 1 })
    expect(ofTag(decision.changes, "AppendEvent")).toMatchObject([{ event: { kind } }])
    expect(decision.changes.map(({ _tag }) => _tag)).toEqual(["MoveDelivery", "AppendEvent"])
  })

  it.each([
    ["the relay refused the message", refused("dot", 451), waiting, ambiguousAttempt],
    ["the connection was lost", lost, waiting, ambiguousAttempt],
    ["the next attempt has begun", took, delivery({ ...waiting, status: "sending", attempts: 2 }), ambiguousAttempt],
    ["a later attempt has ended", took, delivery({ ...waiting, attempts: 2 }), ambiguousAttempt],
    ["the attempt was not ambiguous", took, waiting, attempt({ phase: "ended", outcome: "lost" })],
    ["a report has settled the delivery", took, delivery({ ...waiting, status: "bounced" }), ambiguousAttempt],
    [
      "the delivery failed for another reason",
      took,
      delivery({ ...uncertain, reason: "sending_failed" }),
      ambiguousAttempt
    ]
  ] as const)("changes nothing when %s", (_, ending, state, of) => expect(late(ending, state, of)).toBeNull())
})
