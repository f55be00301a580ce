import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { EventDeliveryResult, FinishEventDeliveryFacts } from "../../../src/decide/event/finishEventDelivery.ts"
import { finishEventDelivery } from "../../../src/decide/event/finishEventDelivery.ts"
import type { EventDelivery } from "../../../src/domain/event/EventDelivery.ts"
import { dayMillis, minuteMillis, secondMillis } from "../../../src/domain/value/Instant.ts"
import { eventDelivery, now, webhook } from "../fixtures.ts"

const accepted: EventDeliveryResult = { _tag: "Accepted", status: 204 }
const refused: EventDeliveryResult = { _tag: "Refused", status: 500, retryAfterSeconds: null, wantsNoMoreEvents: false }
const noMoreEvents: EventDeliveryResult = {
  _tag: "Refused",
  status: 410,
  retryAfterSeconds: null,
  wantsNoMoreEvents: true
}
const noReply: EventDeliveryResult = { _tag: "NoReply", error: "timeout" }
const notAttempted: EventDeliveryResult = { _tag: "NotAttempted", error: "event_deleted" }
const postponed: EventDeliveryResult = { _tag: "Postponed", error: "secret_unreadable", waitMillis: 5 * minuteMillis }

const finish = (
  result: EventDeliveryResult,
  change: Partial<FinishEventDeliveryFacts> & { readonly current?: EventDelivery | null } = {}
) => {
  const claimed = change.claimed ?? eventDelivery()
  const { answer, changes } = finishEventDelivery(result, {
    now,
    startedAt: now - 7,
    claimed,
    current: claimed,
    webhook: webhook(),
    attemptedUrl: webhook().content.url,
    ...change
  })
  return { answer: answer.eventDelivery, disabledWebhook: answer.disabledWebhook, changes }
}

describe("finishEventDelivery", () => {
  it.each<[string, EventDeliveryResult, object]>([
    ["is accepted", accepted, { status: "delivered", dueAt: null, attemptCount: 1, endedAt: now }],
    [
      "is refused with all later events",
      noMoreEvents,
      { status: "failed", dueAt: null, attemptCount: 1, endedAt: now }
    ],
    ["was not attempted", notAttempted, { status: "failed", dueAt: null, attemptCount: 0, endedAt: now }],
    ["is postponed", postponed, { status: "pending", dueAt: now + 5 * minuteMillis, attemptCount: 0, endedAt: null }],
    ["is refused", refused, { status: "pending", attemptCount: 1, endedAt: null }],
    ["gets no reply", noReply, { status: "pending", attemptCount: 1, endedAt: null }]
  ])("decides the next state of an event delivery that %s", (_, result, state) => {
    const { answer, changes } = finish(result)
    expect(answer).toMatchObject({ ...state, worker: null, fencingToken: eventDelivery().fencingToken + 1 })
    expect(changes[0]).toMatchObject({ _tag: "TransitionEventDelivery", from: "pending", fencingToken: 3 })
  })

  it.each<[EventDeliveryResult, object]>([
    [accepted, { status: 204, error: null }],
    [refused, { status: 500, error: null }],
    [noReply, { status: null, error: "timeout" }],
    [notAttempted, { status: null, error: "event_deleted" }],
    [postponed, { status: null, error: "secret_unreadable" }]
  ])("records the attempt with the result %j", (result, attempt) =>
    expect(finish(result).answer!.latestAttempts).toEqual([{ at: now - 7, durationMillis: 7, ...attempt }])
  )

  it("keeps the latest 20 attempts, and counts a clock that was set back as no time", () => {
    const earlier = Array.from({ length: 20 }, (_, n) => ({ at: n, status: 500, error: null, durationMillis: 1 }))
    const claimed = eventDelivery({ latestAttempts: earlier })
    const { latestAttempts } = finish(refused, { claimed, startedAt: now + 9 }).answer!
    expect(latestAttempts).toHaveLength(20)
    expect(latestAttempts[0]).toEqual(earlier[1])
    expect(latestAttempts.at(-1)).toMatchObject({ durationMillis: 0 })
  })

  it("retries a webhook by its schedule with at most 20 % more time, and fails it after ten attempts", () => {
    const waits = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
    for (const [attempts, seconds] of waits.entries()) {
      const wait = finish(refused, { claimed: eventDelivery({ attemptCount: attempts }) }).answer!.dueAt! - now
      expect(wait).toBeGreaterThanOrEqual(seconds * secondMillis)
      expect(wait).toBeLessThanOrEqual(seconds * secondMillis * 1.2)
    }
    expect(finish(refused, { claimed: eventDelivery({ attemptCount: 9 }) }).answer).toMatchObject({ status: "failed" })
  })

  it("waits at least the requested time, and at most one day for it", () => {
    const asked = (retryAfterSeconds: number) =>
      finish({ ...refused, retryAfterSeconds } as EventDeliveryResult).answer!.dueAt! - now
    expect(asked(3600)).toBe(3600 * secondMillis)
    expect(asked(1e9)).toBe(dayMillis)
  })

  it("retries a subscription without end, after 1 s doubled up to 5 min", () => {
    const waits = [0, 1, 2, 8, 9, 1000].map((attempts) => {
      const claimed = eventDelivery({ subscriber: "sub_1", attemptCount: attempts })
      return finish(noReply, { claimed, webhook: null }).answer!.dueAt! - now
    })
    expect(waits).toEqual([1, 2, 4, 256, 300, 300].map((seconds) => seconds * secondMillis))
  })

  it.each<[string, EventDelivery | null]>([
    ["another worker has claimed it", eventDelivery({ fencingToken: 4, worker: "other" })],
    ["it has ended", eventDelivery({ status: "delivered" })],
    ["it is no longer stored", null]
  ])("changes nothing when the event delivery was claimed by this worker but %s", (_, current) =>
    expect(finish(accepted, { current })).toEqual({ changes: [], answer: null, disabledWebhook: null })
  )

  it.each<[string, EventDeliveryResult, object, object | null]>([
    ["a first failure", refused, {}, { failingSince: now, status: "enabled" }],
    ["a later failure", refused, { failingSince: now - 1 }, null],
    ["a failure after five days", noReply, { failingSince: now - 5 * dayMillis }, { status: "disabled" }],
    ["a failure just before five days", noReply, { failingSince: now - 5 * dayMillis + 1 }, null],
    ["the end of the endpoint", noMoreEvents, {}, { status: "disabled", failingSince: now }],
    ["a success after a failure", accepted, { failingSince: now - 1 }, { failingSince: null, status: "enabled" }],
    ["a success", accepted, {}, null],
    ["no attempt", notAttempted, { failingSince: now - 9 * dayMillis }, null],
    ["a postponed attempt", postponed, { failingSince: now - 9 * dayMillis }, null]
  ])("updates the webhook after %s", (_, result, content, expected) => {
    const existing = webhook({ revision: 6 }, content)
    const { changes } = finish(result, { webhook: existing })
    expect(changes.slice(1)).toEqual(
      expected === null
        ? []
        : [
            {
              _tag: "PutResource",
              resource: { ...existing, content: { ...existing.content, ...expected }, updatedAt: now, revision: 7 },
              replaces: 6
            }
          ]
    )
  })

  it.each<[string, EventDeliveryResult, object, boolean]>([
    ["a failure after five days", noReply, { failingSince: now - 5 * dayMillis }, true],
    ["the end of the endpoint", noMoreEvents, {}, true],
    ["the end of the endpoint of a webhook that is disabled already", noMoreEvents, { status: "disabled" }, false],
    ["a first failure", refused, {}, false],
    ["a success after a failure", accepted, { failingSince: now - 1 }, false]
  ])("answers whether the webhook was disabled, after %s", (_, result, content, isDisabled) => {
    const { disabledWebhook } = finish(result, { webhook: webhook({ revision: 6 }, content) })
    expect(disabledWebhook).toEqual(
      isDisabled
        ? expect.objectContaining({ revision: 7, content: expect.objectContaining({ status: "disabled" }) })
        : null
    )
  })

  it.each<[string, EventDeliveryResult, object, object]>([
    ["a success", accepted, { failingSince: now - 1 }, { status: "delivered", attemptCount: 1 }],
    ["a failure", refused, {}, { status: "pending", attemptCount: 1 }],
    [
      "a failure after five days",
      noReply,
      { failingSince: now - 5 * dayMillis },
      { status: "pending", attemptCount: 1 }
    ],
    ["the end of the endpoint", noMoreEvents, {}, { status: "pending", attemptCount: 1 }]
  ])("does not change a webhook whose URL changed since the attempt began, after %s", (_, result, content, state) => {
    const moved = webhook({ revision: 6 }, { ...content, url: "https://new.example.net/" })
    const { answer, changes, disabledWebhook } = finish(result, { webhook: moved })
    expect(answer).toMatchObject(state)
    expect(changes).toEqual([expect.objectContaining({ _tag: "TransitionEventDelivery" })])
    expect(disabledWebhook).toBeNull()
  })

  it("ends an event delivery or makes it due in the future, whatever the result and the number of attempts", () => {
    const result = fc.oneof(
      fc.constantFrom(accepted, noMoreEvents, noReply, notAttempted, postponed),
      fc.double({ noNaN: false }).map((retryAfterSeconds): EventDeliveryResult => ({
        _tag: "Refused",
        status: 500,
        retryAfterSeconds,
        wantsNoMoreEvents: false
      }))
    )
    fc.assert(
      fc.property(result, fc.nat({ max: 2000 }), fc.boolean(), (result, attempts, isWebhook) => {
        const { answer } = finish(result, {
          claimed: eventDelivery({ attemptCount: attempts }),
          webhook: isWebhook ? webhook() : null
        })
        const { status, dueAt, endedAt, fencingToken } = answer!
        expect(fencingToken).toBe(4)
        if (status === "pending") {
          expect(endedAt).toBeNull()
          expect(dueAt! - now).toBeGreaterThanOrEqual(secondMillis)
          expect(dueAt! - now).toBeLessThanOrEqual(1.2 * dayMillis)
        } else expect([dueAt, endedAt]).toEqual([null, now])
      })
    )
  })
})
