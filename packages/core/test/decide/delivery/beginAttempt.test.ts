import { describe, expect, it } from "vitest"
import type { BeginAttemptFacts, StartedAttempt } from "../../../src/decide/delivery/beginAttempt.ts"
import { beginAttempt } from "../../../src/decide/delivery/beginAttempt.ts"
import { attempt, counterChanges, delivery, message, nextState, now, suppression } from "../fixtures.ts"

const begin = (change: Partial<BeginAttemptFacts> = {}) => {
  const claimed = change.claimed ?? delivery({ worker: "w" })
  return beginAttempt({
    now,
    eventId: "evt_1",
    maxMessageBytes: null,
    claimed,
    delivery: claimed,
    message: message(),
    suppression: null,
    begunAttempt: null,
    finalizing: null,
    ...change
  })
}

describe("beginAttempt", () => {
  it("moves the delivery to sending with the next fencing token, and keeps its worker", () => {
    const { answer, changes } = begin()
    expect(answer).toMatchObject({
      delivery: { status: "sending", fencingToken: 8, worker: "w", attemptCount: 1 },
      attempt: { number: 1, phase: "started", startedAt: now },
      message: { id: "msg_1" }
    })
    expect(changes.map(({ _tag }) => _tag)).toEqual(["TransitionDelivery", "InsertAttempt"])
    expect(changes[1]).toEqual({ _tag: "InsertAttempt", attempt: attempt() })
  })

  it("begins in the phase finalizing, with its guards and lease, for a transport that cannot signal the end of data", () => {
    const { answer, changes } = begin({ suppression: null, finalizing: { addressKey: "k", leaseUntil: now + 30_000 } })
    expect(answer).toMatchObject({ attempt: { number: 1, phase: "finalizing" } })
    expect(changes).toMatchObject([
      { _tag: "TransitionDelivery", fencingToken: 7 },
      { _tag: "InsertAttempt", attempt: { phase: "finalizing" } },
      { _tag: "Expect", record: { kind: "Suppression", projectId: "prj_test", addressKey: "k" }, revision: null },
      { _tag: "RenewLease", worker: "w", renewedAt: now, leaseUntil: now + 30_000 }
    ])
  })

  it("sets no lease that was set a short time ago", () => {
    const { changes } = begin({ suppression: null, finalizing: { addressKey: "k", leaseUntil: null } })
    expect(changes.map(({ _tag }) => _tag)).toEqual(["TransitionDelivery", "InsertAttempt", "Expect"])
  })

  it.each<[string, Partial<BeginAttemptFacts>, string]>([
    ["a suppression", { suppression: suppression("complaint") }, "suppressed"],
    ["a send that has expired", { message: message({ expiresAt: now }) }, "failed"],
    ["a message that is too large", { maxMessageBytes: 1 }, "failed"]
  ])("ends the delivery and refunds its charge because of %s", (_, change, status) => {
    const { answer, changes } = begin(change)
    expect(answer).toBe(status)
    expect(nextState(changes)).toMatchObject({ status, chargedAt: null })
    expect(counterChanges(changes)).toEqual({ allowance: -1, "daily:2026-11-21": -1 })
  })

  it("leaves an expired send uncertain and charged after an ambiguous attempt", () => {
    const claimed = delivery({ worker: "w", attemptCount: 1, ambiguousAttempts: 1, reachedRelay: true })
    const { answer, changes } = begin({ claimed, message: message({ expiresAt: now }) })
    expect(answer).toBe("failed")
    expect(nextState(changes)).toMatchObject({ status: "failed", reason: "delivery_uncertain", chargedAt: now })
  })

  it.each([
    [1_000_003, 990_000, true],
    [1_000_002, 990_000, false],
    [10_003, 0, true],
    [10_002, 0, false]
  ])("refuses by a limit of %d bytes only what is certainly larger, with a file of %d bytes", (limit, size, isSent) => {
    const file = { filename: "a", contentType: "a/b", contentId: null, disposition: "attachment", hash: "h" } as const
    const attachments = size === 0 ? [] : [{ ...file, size }]
    const known = message({ subject: "Hi!", html: "x".repeat(9_900), text: "y".repeat(100), attachments })
    expect(begin({ maxMessageBytes: limit, message: known }).answer).toEqual(isSent ? expect.any(Object) : "failed")
  })

  it("returns a delivery to the queue unclaimed and keeps its charge when the clock was set back and it is not due yet", () => {
    const claimed = delivery({ worker: "w", dueAt: now + 1 })
    const { answer, changes } = begin({ claimed })
    expect(answer).toBe("queued")
    expect(changes).toMatchObject([
      {
        _tag: "TransitionDelivery",
        next: { status: "queued", dueAt: now + 1, worker: null, chargedAt: claimed.chargedAt }
      }
    ])
  })

  it("writes nothing when another worker has claimed the delivery since", () => {
    expect(begin({ delivery: delivery({ worker: "other", fencingToken: 8 }) })).toEqual({
      answer: "claim_lost",
      changes: []
    })
    expect(begin({ delivery: null })).toEqual({ answer: "claim_lost", changes: [] })
  })

  it("returns the attempt of an earlier commit of the same claim, and writes nothing", () => {
    const begun = (begin().answer as StartedAttempt).delivery
    expect(begin({ delivery: begun, begunAttempt: attempt() })).toEqual({
      answer: { delivery: begun, attempt: attempt(), message: message(), suppression: null },
      changes: []
    })
  })

  it("writes nothing when another worker has begun the next attempt", () => {
    const begun = { ...(begin().answer as StartedAttempt).delivery, worker: "other" }
    expect(begin({ delivery: begun, begunAttempt: attempt() }).answer).toBe("claim_lost")
  })
})
