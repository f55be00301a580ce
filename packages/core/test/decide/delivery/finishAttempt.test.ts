import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { HandOffResult } from "../../../src/decide/delivery/handOffResult.ts"
import type { FinishAttemptFacts } from "../../../src/decide/delivery/finishAttempt.ts"
import { finishAttempt } from "../../../src/decide/delivery/finishAttempt.ts"
import type { Change, ChangeOf } from "../../../src/domain/store/Change.ts"
import { inCommitOrder } from "../../../src/domain/store/commitOrder.ts"
import type { Delivery } from "../../../src/domain/delivery/Delivery.ts"
import { minuteMillis } from "../../../src/domain/value/Instant.ts"
import { defaultRetryPolicy } from "../../../src/domain/delivery/RetrySchedule.ts"
import type { SmtpReply } from "../../../src/domain/delivery/SmtpReply.ts"
import { attempt, delivery, keyedAddress, nextState, now, project, suppression } from "../fixtures.ts"

const reply = (stage: SmtpReply["stage"], code: number | null, enhancedCode: string | null = null): SmtpReply => ({
  stage,
  smtpCode: code,
  enhancedCode,
  text: "words"
})

const facts = (
  change: Partial<FinishAttemptFacts> & { readonly state?: Partial<Delivery> } = {}
): FinishAttemptFacts => {
  const { state, ...rest } = change
  const claimed = delivery({ status: "sending", worker: "w", attemptCount: 1, ...state })
  return {
    now,
    eventId: "evt_1",
    policy: defaultRetryPolicy,
    onAmbiguous: "retry",
    idempotentHandOff: false,
    signalsFinalize: true,
    expiresAt: null,
    claimed,
    delivery: claimed,
    attempt: attempt(),
    keyedAddress,
    suppression: null,
    ...rest
  }
}

const finalizingAttempt = attempt({ phase: "finalizing" })
const ofTag = <T extends Change["_tag"]>(changes: ReadonlyArray<Change>, tag: T): ReadonlyArray<ChangeOf<T>> =>
  changes.filter((change): change is ChangeOf<T> => change._tag === tag)

const suppressedFor = (changes: ReadonlyArray<Change>): ReadonlyArray<string> =>
  ofTag(changes, "PutSuppression").flatMap(({ suppression }) => Object.keys(suppression.reasons))

type Row = readonly [
  name: string,
  result: HandOffResult,
  facts: FinishAttemptFacts,
  status: string,
  more: Partial<Delivery>,
  outcome: string
]

const lost: HandOffResult = { _tag: "NoReply", why: "gone" }
const unconnected: HandOffResult = { _tag: "NoReply", why: "refused", certainlyNotAccepted: true }
const died: HandOffResult = { _tag: "WorkerDied" }
const refused = (...of: Parameters<typeof reply>): HandOffResult => ({ _tag: "Refused", reply: reply(...of) })

const rows: ReadonlyArray<Row> = [
  [
    "acceptance by the relay",
    { _tag: "Accepted", reply: reply("endOfData", 250) },
    facts({ attempt: finalizingAttempt }),
    "accepted",
    { acceptedAt: now },
    "accepted"
  ],
  [
    "delivery by the relay",
    { _tag: "Delivered", reply: reply("endOfData", 250) },
    facts({ attempt: finalizingAttempt }),
    "delivered",
    { deliveredAt: now, acceptedAt: now },
    "delivered"
  ],
  [
    "a refusal of an unknown mailbox",
    refused("rcpt", 550, "5.1.1"),
    facts(),
    "bounced",
    { reason: "hard_bounce", bounceType: "hard" },
    "rejected"
  ],
  ["a refusal by policy", refused("rcpt", 550, "5.7.1"), facts(), "failed", { reason: "message_blocked" }, "rejected"],
  ["a refusal of the sender", refused("mail", 550), facts(), "failed", { reason: "sending_failed" }, "rejected"],
  [
    "a refusal of a message that is too large for the relay",
    refused("mail", 552, "5.3.4"),
    facts(),
    "failed",
    { reason: "message_blocked", reachedRelay: true, chargedAt: now },
    "rejected"
  ],
  [
    "a refusal of the transport itself",
    { _tag: "Refused", reply: reply("mail", 552, "5.3.4"), reachedRelay: false },
    facts(),
    "failed",
    { reason: "message_blocked", reachedRelay: false, chargedAt: null, countedDay: null },
    "rejected"
  ],
  [
    "a refusal of the transport itself, after the relay got an earlier attempt",
    { _tag: "Refused", reply: reply("mail", 552, "5.3.4"), reachedRelay: false },
    facts({ state: { reachedRelay: true } }),
    "failed",
    { reason: "message_blocked", chargedAt: now },
    "rejected"
  ],
  [
    "a refusal of a transport that does not signal the end of data, before it connects",
    { _tag: "Refused", reply: reply("mail", 552, "5.3.4"), reachedRelay: false },
    facts({ attempt: finalizingAttempt }),
    "failed",
    { reachedRelay: false, chargedAt: null },
    "rejected"
  ],
  [
    "a refusal in the greeting of a relay whose transport does not signal the end of data, after the lifetime",
    refused("greeting", 421),
    facts({ attempt: finalizingAttempt, expiresAt: now + 1 }),
    "failed",
    { reachedRelay: false, chargedAt: null, countedDay: null },
    "deferred"
  ],
  [
    "a temporary refusal of the transport itself, after the lifetime",
    { _tag: "Refused", reply: reply("mail", 452, "4.3.1"), reachedRelay: false },
    facts({ expiresAt: now + 1 }),
    "failed",
    { reason: "temporary_failure", chargedAt: null },
    "deferred"
  ],
  ["a temporary refusal", refused("rcpt", 450), facts(), "queued", { deferrals: 1 }, "deferred"],
  [
    "a refusal in the greeting",
    refused("greeting", 554),
    facts(),
    "queued",
    { deferrals: 0, reachedRelay: false },
    "deferred"
  ],
  [
    "a temporary refusal after the lifetime",
    refused("rcpt", 450),
    facts({ expiresAt: now + 1 }),
    "bounced",
    { reason: "temporary_failure", bounceType: "soft" },
    "deferred"
  ],
  ["a lost connection before finalizing", lost, facts(), "queued", { ambiguousAttempts: 0, deferrals: 0 }, "no_reply"],
  [
    "a lost connection before finalizing, after the lifetime",
    lost,
    facts({ expiresAt: now + 1 }),
    "failed",
    { reason: "temporary_failure", chargedAt: null, countedDay: null },
    "no_reply"
  ],
  [
    "a lost connection before finalizing, after the lifetime, to a relay that answered before",
    lost,
    facts({ expiresAt: now + 1, state: { reachedRelay: true } }),
    "bounced",
    { chargedAt: now },
    "no_reply"
  ],
  [
    "a lost connection while finalizing",
    lost,
    facts({ attempt: finalizingAttempt }),
    "queued",
    { ambiguousAttempts: 1, dueAt: now + 10 * minuteMillis },
    "ambiguous"
  ],
  [
    "a connection that was certainly not made, over a transport that cannot signal finalizing",
    unconnected,
    facts({ attempt: finalizingAttempt, signalsFinalize: false }),
    "queued",
    { ambiguousAttempts: 0, reachedRelay: false },
    "no_reply"
  ],
  [
    "a connection that was certainly not made, over a transport that cannot signal finalizing, after the lifetime",
    unconnected,
    facts({ attempt: finalizingAttempt, signalsFinalize: false, expiresAt: now + 1 }),
    "failed",
    { reason: "temporary_failure", reachedRelay: false, chargedAt: null, countedDay: null },
    "no_reply"
  ],
  [
    "a connection that was lost before the end of data, while finalizing, after the lifetime",
    unconnected,
    facts({ attempt: finalizingAttempt, expiresAt: now + 1 }),
    "bounced",
    { reason: "temporary_failure", bounceType: "soft", reachedRelay: true, chargedAt: now },
    "no_reply"
  ],
  [
    "a connection that was lost before the end of data, while finalizing",
    unconnected,
    facts({ attempt: finalizingAttempt }),
    "queued",
    { ambiguousAttempts: 0, reachedRelay: true },
    "no_reply"
  ],
  [
    "a third lost connection while finalizing",
    lost,
    facts({ attempt: finalizingAttempt, state: { ambiguousAttempts: 2 } }),
    "failed",
    { reason: "delivery_uncertain" },
    "ambiguous"
  ],
  [
    "a lost connection while finalizing a delivery that is sent at most once",
    lost,
    facts({ attempt: finalizingAttempt, onAmbiguous: "fail" }),
    "failed",
    { reason: "delivery_uncertain", chargedAt: now },
    "ambiguous"
  ],
  [
    "a lost connection while finalizing at a relay that drops duplicates",
    lost,
    facts({ attempt: finalizingAttempt, idempotentHandOff: true }),
    "queued",
    { ambiguousAttempts: 1 },
    "no_reply"
  ],
  ["a shutdown before finalizing", { _tag: "ShutDown" }, facts(), "queued", { dueAt: now, workerDeaths: 0 }, "stopped"],
  [
    "a shutdown while finalizing",
    { _tag: "ShutDown" },
    facts({ attempt: finalizingAttempt }),
    "queued",
    { ambiguousAttempts: 1 },
    "ambiguous"
  ],
  [
    "a revoked hand-off",
    { _tag: "Revoked" },
    facts({ attempt: finalizingAttempt }),
    "queued",
    { dueAt: now + 5000, ambiguousAttempts: 0, reachedRelay: false },
    "stopped"
  ],
  ["a dead worker before finalizing", died, facts(), "queued", { dueAt: now, workerDeaths: 1 }, "no_reply"],
  [
    "a dead worker while finalizing",
    died,
    facts({ attempt: finalizingAttempt }),
    "queued",
    { workerDeaths: 1, ambiguousAttempts: 1 },
    "ambiguous"
  ],
  [
    "a third dead worker before finalizing",
    died,
    facts({ state: { workerDeaths: 2 } }),
    "failed",
    { reason: "sending_failed", workerDeaths: 3, chargedAt: null },
    "no_reply"
  ],
  [
    "a third dead worker while finalizing",
    died,
    facts({ attempt: finalizingAttempt, state: { workerDeaths: 2 } }),
    "failed",
    { reason: "delivery_uncertain", chargedAt: now },
    "ambiguous"
  ]
]

describe("finishAttempt", () => {
  it.each(rows)("finishes an attempt that ends with %s", (_, result, given, status, more, outcome) => {
    const { changes, answer } = finishAttempt(result, given)
    const next = nextState(changes)
    expect(answer).toBe(status)
    expect(next).toMatchObject({ status, worker: null, ...more })
    const [closed] = ofTag(changes, "TransitionAttempt")
    expect(closed).toMatchObject({
      fencingToken: given.claimed.fencingToken,
      from: given.attempt!.phase,
      next: { phase: "ended", outcome }
    })
    expect(ofTag(changes, "TransitionDelivery")).toMatchObject([
      { from: "sending", fencingToken: given.claimed.fencingToken, next: { status } }
    ])
    const eventKinds = ofTag(changes, "AppendEvent").map(({ event }) => event.kind)
    const delayed = !["WorkerDied", "ShutDown", "Revoked"].includes(result._tag) && outcome !== "ambiguous"
    expect(eventKinds).toEqual(status !== "queued" ? [`email.${status}`] : delayed ? ["email.delayed"] : [])
    expect(suppressedFor(changes)).toEqual(next.reason === "hard_bounce" ? ["hard_bounce"] : [])
  })
})

describe("finishAttempt, at the end of the lifetime", () => {
  const lifetimeOver = { queuedAt: now - defaultRetryPolicy.lifetimeMillis, deferrals: 70 }
  const deferred = (...of: Parameters<typeof reply>) => [refused(...of), lifetimeOver, null] as const

  it.each<[string, ReadonlyArray<string>, HandOffResult, Partial<Delivery>, number | null]>([
    ["a refusal of the recipient", ["temporary_failure"], ...deferred("rcpt", 450, "4.2.0")],
    ["a refusal of the recipient after the end of data", ["temporary_failure"], ...deferred("endOfData", 450)],
    ["a first refusal after a downtime", [], refused("rcpt", 450), { ...lifetimeOver, deferrals: 0 }, null],
    ["a second refusal", ["temporary_failure"], refused("rcpt", 450), { ...lifetimeOver, deferrals: 1 }, null],
    ["a full mailbox", [], ...deferred("rcpt", 452, "4.2.2")],
    ["a relay without storage at RCPT", [], ...deferred("rcpt", 452, "4.3.1")],
    ["a relay without storage at MAIL", [], ...deferred("mail", 452, "4.3.1")],
    ["a limit of the account", [], ...deferred("mail", 451, "4.7.1")],
    ["a relay that shuts down", [], ...deferred("mail", 421, "4.3.2")],
    ["a lost connection after a refusal of the recipient", [], lost, { ...lifetimeOver, reachedRelay: true }, null],
    ["a refusal of the recipient when only the send has expired", [], refused("rcpt", 450, "4.2.0"), {}, now + 1]
  ])("bounces the delivery after %s, and suppresses for %j", (_, suppressed, result, state, expiresAt) => {
    const { changes } = finishAttempt(result, facts({ state, expiresAt }))
    expect(nextState(changes)).toMatchObject({
      status: "bounced",
      reason: "temporary_failure",
      bounceType: "soft"
    })
    expect(suppressedFor(changes)).toEqual(suppressed)
  })
})

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
