import { describe, expect, it } from "vitest"
import type { HandOffResult } from "../../../src/decide/delivery/handOffResult.ts"
import type { FinishAttemptFacts } from "../../../src/decide/delivery/finishAttempt.ts"
import { finishAttempt } from "../../../src/decide/delivery/finishAttempt.ts"
import type { Change } from "../../../src/domain/store/Change.ts"
import type { Delivery } from "../../../src/domain/delivery/Delivery.ts"
import { minuteMillis } from "../../../src/domain/value/Instant.ts"
import { defaultRetryPolicy } from "../../../src/domain/delivery/RetrySchedule.ts"
import { nextState, now } from "../fixtures.ts"
import { died, facts, finalizingAttempt, lost, ofTag, refused, reply, unconnected } from "./finishAttemptFacts.ts"

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

const rows: ReadonlyArray<Row> = [
  [
    "acceptance by the relay",
    { _tag: "Accepted", reply: reply("endOfData", 250) },
    facts({ attempt: finalizingAttempt }),
    "accepted",
    { acceptedAt: now, reachedRelay: true },
    "accepted"
  ],
  [
    "delivery by the relay",
    { _tag: "Delivered", reply: reply("endOfData", 250) },
    facts({ attempt: finalizingAttempt }),
    "delivered",
    { deliveredAt: now, acceptedAt: now, reachedRelay: true },
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

describe("finishAttempt, for the reply of the relay", () => {
  it.each<[string, HandOffResult, codes: object, statusMessage: string]>([
    ["a refusal", refused("rcpt", 550, "5.1.1"), { smtpCode: 550, enhancedCode: "5.1.1" }, "words"],
    ["a lost connection", lost, { smtpCode: null, enhancedCode: null }, "gone"]
  ])("stores the codes and the words of %s in the attempt, and writes them in the event", (_, result, codes, text) => {
    const { changes } = finishAttempt(result, facts())
    expect(nextState(changes).statusMessage).toBe(text)
    expect(ofTag(changes, "TransitionAttempt")).toMatchObject([{ next: { ...codes, statusMessage: text } }])
    expect(ofTag(changes, "AppendEvent")).toMatchObject([{ event: { data: codes } }])
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
