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

  it("changes nothing when the event delivery is pending", () => {
    const existing = eventDelivery()
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

  it("fails when the event has been deleted", () => {
    const existing = eventDelivery({ status: "delivered", dueAt: null, endedAt: now })
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
