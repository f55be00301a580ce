import { describe, expect, it } from "vitest"
import type { AttemptEnd, AttemptEndFacts, HandOffResult } from "../../../src/decide/delivery/handOffResult.ts"
import { attemptEndOf, refusedAfterEnvelope } from "../../../src/decide/delivery/handOffResult.ts"
import {
  defaultRetryPolicy,
  relayFaultWaitMillis,
  retryWaitMillis
} from "../../../src/domain/delivery/RetrySchedule.ts"
import type { SmtpStage } from "../../../src/domain/delivery/SmtpReply.ts"
import { minuteMillis } from "../../../src/domain/value/Instant.ts"
import { jitterOf } from "../../../src/domain/value/Jitter.ts"
import { attempt, delivery, now } from "../fixtures.ts"

const facts = (phase: "started" | "finalizing", idempotentHandOff: boolean): AttemptEndFacts => ({
  now,
  policy: defaultRetryPolicy,
  onAmbiguous: "retry",
  idempotentHandOff,
  expiresAt: null,
  delivery: delivery({ status: "sending", worker: "w", attemptCount: 1 }),
  attempt: attempt({ phase })
})

const reply = (code: number, enhancedCode: string | null = null) =>
  ({ stage: "endOfData", smtpCode: code, enhancedCode, text: "words" }) as const

type Ends = readonly [AttemptEnd["trigger"], AttemptEnd["outcome"]]

/** For each result: its end before finalizing, and its end while finalizing. */
const table: ReadonlyArray<readonly [name: string, HandOffResult, started: Ends, finalizing: Ends]> = [
  [
    "an acceptance",
    { _tag: "Accepted", reply: reply(250) },
    ["TransportAccepted", "accepted"],
    ["TransportAccepted", "accepted"]
  ],
  [
    "a delivery",
    { _tag: "Delivered", reply: reply(250) },
    ["TransportDelivered", "delivered"],
    ["TransportDelivered", "delivered"]
  ],
  [
    "a temporary refusal",
    { _tag: "Refused", reply: reply(451) },
    ["TransportDeferred", "deferred"],
    ["TransportDeferred", "deferred"]
  ],
  [
    "a refusal of the message",
    { _tag: "Refused", reply: reply(554, "5.7.1") },
    ["MessageRefused", "rejected"],
    ["MessageRefused", "rejected"]
  ],
  [
    "a message that is not sendable",
    { _tag: "NotSendable", why: "bad" },
    ["MessageNotSendable", "rejected"],
    ["MessageNotSendable", "rejected"]
  ],
  ["a revoked hand-off", { _tag: "Revoked" }, ["HandOffStopped", "stopped"], ["HandOffStopped", "stopped"]],
  ["a shutdown", { _tag: "ShutDown" }, ["HandOffStopped", "stopped"], ["AmbiguousRetry", "ambiguous"]],
  [
    "a lost connection",
    { _tag: "NoReply", why: "gone" },
    ["TransportDeferred", "no_reply"],
    ["AmbiguousRetry", "ambiguous"]
  ],
  [
    "a connection that was lost before the end of data",
    { _tag: "NoReply", why: "gone", certainlyNotAccepted: true },
    ["TransportDeferred", "no_reply"],
    ["TransportDeferred", "no_reply"]
  ],
  ["a dead worker", { _tag: "WorkerDied" }, ["WorkerDied", "no_reply"], ["AmbiguousRetry", "ambiguous"]]
]

describe("attemptEndOf", () => {
  it.each(table)("ends an attempt before finalizing after %s", (_, result, started) => {
    const { trigger, outcome } = attemptEndOf(result, facts("started", false))
    expect([trigger, outcome]).toEqual(started)
  })

  it.each(table)("ends a finalizing attempt after %s", (_, result, __, finalizing) => {
    const { trigger, outcome } = attemptEndOf(result, facts("finalizing", false))
    expect([trigger, outcome]).toEqual(finalizing)
  })

  const withoutDoubt = (end: AttemptEnd): AttemptEnd => {
    const { ambiguousAttempts: _, ...patch } = end.patch
    return { ...end, patch }
  }

  it.each(table)(
    "treats a finalizing attempt like an earlier one when the relay ignores a second hand-off, after %s, but counts a doubt",
    (_, result, __, [, outcome]) => {
      const end = attemptEndOf(result, facts("finalizing", true))
      expect(withoutDoubt(end)).toEqual(attemptEndOf(result, facts("started", true)))
      expect(end.patch.ambiguousAttempts).toBe(outcome === "ambiguous" ? 1 : undefined)
    }
  )

  it.each<[string, HandOffResult, Partial<AttemptEndFacts["delivery"]>]>([
    ["a lost connection after the lifetime", { _tag: "NoReply", why: "gone" }, {}],
    ["a third dead worker", { _tag: "WorkerDied" }, { workerDeaths: 2 }]
  ])(
    "ends a finalizing attempt as uncertain when the relay ignores a second hand-off and none follows %s",
    (_, result, state) => {
      const given = facts("finalizing", true)
      const end = attemptEndOf(result, { ...given, expiresAt: now + 1, delivery: { ...given.delivery, ...state } })
      expect(end).toMatchObject({ trigger: "AmbiguousFailure", outcome: "no_reply", patch: { ambiguousAttempts: 1 } })
    }
  )
})

describe("a hand-off without an answer", () => {
  it("counts as a deferral unless the relay is the cause", () => {
    const deferrals = [true, false].map(
      (relayFault) =>
        attemptEndOf({ _tag: "NoReply", why: "gone", relayFault }, facts("started", false)).patch.deferrals
    )
    expect(deferrals).toEqual([0, 1])
  })
})

describe("a temporary failure", () => {
  const queuedMillis = 40 * minuteMillis
  const given = facts("started", false)
  const delivery = { ...given.delivery, queuedAt: now - queuedMillis, deferrals: 2 }
  const jitter = jitterOf(delivery.id, delivery.attemptCount)
  const deferral: HandOffResult = { _tag: "Refused", reply: reply(451) }
  const busy: HandOffResult = { _tag: "Refused", reply: { ...reply(421), stage: "greeting" } }

  it.each<[string, HandOffResult, wait: number, deferrals: number]>([
    ["a refusal", deferral, retryWaitMillis(3, queuedMillis, jitter), 3],
    ["a fault of the relay", busy, relayFaultWaitMillis(queuedMillis, jitter), 2]
  ])("waits after %s for a time that depends on the time in the queue", (_, result, wait, deferrals) => {
    expect(attemptEndOf(result, { ...given, delivery })).toMatchObject({
      trigger: "TransportDeferred",
      patch: { dueAt: now + wait, deferrals, statusMessage: expect.stringContaining("words") }
    })
  })

  it("ends a delivery whose next attempt would begin at the end of its lifetime", () => {
    const dueAt = now + retryWaitMillis(3, queuedMillis, jitter)
    const triggers = [dueAt, dueAt + 1].map(
      (expiresAt) => attemptEndOf(deferral, { ...given, delivery, expiresAt }).trigger
    )
    expect(triggers).toEqual(["UnreachableTooLong", "TransportDeferred"])
  })
})

describe("a refusal of the message", () => {
  it("says nothing about the recipient", () => {
    const end = attemptEndOf({ _tag: "Refused", reply: reply(554, "5.7.1") }, facts("started", false))
    expect(end.suppress).toBeUndefined()
    expect(Object.keys(end.patch)).toEqual(["statusMessage"])
  })
})

describe("refusedAfterEnvelope", () => {
  it.each<[SmtpStage, boolean]>([
    ["connect", false],
    ["greeting", false],
    ["auth", false],
    ["mail", true],
    ["rcpt", true],
    ["data", true],
    ["endOfData", true]
  ])("decides whether the relay knows the recipient after a reply in the stage %s", (stage, expected) =>
    expect(
      refusedAfterEnvelope({ _tag: "Refused", reply: { stage, smtpCode: 450, enhancedCode: null, text: "" } })
    ).toBe(expected)
  )
})
