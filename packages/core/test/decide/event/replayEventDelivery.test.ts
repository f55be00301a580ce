import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { replayEventDelivery } from "../../../src/decide/event/replayEventDelivery.ts"
import type { EventDelivery } from "../../../src/domain/event/EventDelivery.ts"
import type { Resource } from "../../../src/domain/store/Resource.ts"
import { eventDelivery, eventRecord, now, subscription, webhook } from "../fixtures.ts"

const replay = (existing: EventDelivery | null, webhookId = "whk_1", found: Resource | null = webhook()) =>
  replayEventDelivery({ now: now + 5, webhookId, id: "evd_1", webhook: found, existing, event: eventRecord() })

describe("replayEventDelivery", () => {
  it.each(["delivered", "failed"] as const)("makes a %s event delivery due again, and keeps its attempts", (status) => {
    const made = { at: now, status: 500, error: null, durationMillis: 3 }
    const existing = eventDelivery({ status, dueAt: null, attemptCount: 10, latestAttempts: [made], endedAt: now })
    const { changes, answer } = Result.getOrThrow(replay(existing))
    expect(answer).toEqual({
      ...existing,
      status: "pending",
      dueAt: now + 5,
      worker: null,
      fencingToken: existing.fencingToken + 1,
      attemptCount: 0,
      endedAt: null
    })
    expect(changes).toMatchObject([
      { _tag: "TransitionEventDelivery", id: "evd_1", from: status, fencingToken: existing.fencingToken }
    ])
  })

  it("sends an event delivery that waits for its next attempt now, and begins its schedule again", () => {
    const made = { at: now, status: 503, error: null, durationMillis: 3 }
    const waiting = eventDelivery({ dueAt: now + 86_400_000, worker: null, attemptCount: 8, latestAttempts: [made] })
    const { changes, answer } = Result.getOrThrow(replay(waiting))
    expect(answer).toEqual({
      ...waiting,
      dueAt: now + 5,
      fencingToken: waiting.fencingToken + 1,
      attemptCount: 0
    })
    expect(changes).toMatchObject([
      { _tag: "TransitionEventDelivery", from: "pending", fencingToken: waiting.fencingToken, next: { worker: null } }
    ])
  })

  it.each([
    ["is due now", { dueAt: now + 5, worker: null }],
    ["is being sent", { dueAt: now + 30_000, worker: "w_1" }]
  ])("changes nothing when the event delivery %s", (_, change) => {
    const existing = eventDelivery(change)
    expect(Result.getOrThrow(replay(existing))).toEqual({ changes: [], answer: existing })
  })

  it.each([
    ["no event delivery has the id", null, "whk_1"],
    ["the event delivery belongs to another webhook", eventDelivery({ status: "failed" }), "whk_2"]
  ])("fails when %s", (_, existing, webhookId) =>
    expect(Result.getOrThrow(Result.flip(replay(existing, webhookId)))).toMatchObject({
      _tag: "RecordNotFound",
      record: "event delivery",
      id: "evd_1"
    })
  )

  it.each([
    ["has ended", { status: "delivered", dueAt: null, endedAt: now } as const],
    ["waits for its next attempt", { dueAt: now + 60_000, worker: null }]
  ])("fails when the event has been deleted and the event delivery %s", (_, change) => {
    const existing = eventDelivery(change)
    const facts = { now: now + 5, webhookId: "whk_1", id: "evd_1", webhook: webhook(), existing, event: null }
    expect(replayEventDelivery(facts)).toMatchObject({
      failure: { _tag: "RecordNotFound", record: "event", id: "evd_1" }
    })
  })

  it.each([
    ["the webhook was deleted", null],
    ["the id is of a resource that is not a webhook", subscription()]
  ])("fails when %s", (_, found) =>
    expect(replay(eventDelivery({ status: "failed" }), "whk_1", found)).toMatchObject({
      failure: { _tag: "RecordNotFound", record: "webhook", id: "whk_1" }
    })
  )
})
