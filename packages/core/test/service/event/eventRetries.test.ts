/**
 * When an event delivery is tried again.
 */
import { project, sendEvents, start, stores, withTestMail } from "@mailkeep/test-support"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { dayMillis, hourMillis, minuteMillis } from "../../../src/domain/value/Instant.ts"
import type { EventSender, WebhookDelivery } from "../../../src/index.ts"
import { Webhooks } from "../../../src/index.ts"
import { SinkUnavailable } from "../../../src/port/EventSink.ts"
import { accepted, create, delivered, eventDeliveriesOf, refused, scripted } from "./scriptedSink.ts"

describe.each(stores)("EventSender, over $name", (store) => {
  it("retries an event delivery by its schedule under one id, and fails it after ten attempts", () => {
    const subscriber = scripted()
    subscriber.answers(() => Effect.succeed(refused()))
    return withTestMail(store, { sink: subscriber.sink })(
      Effect.gen(function* () {
        const { webhook } = yield* create()
        yield* delivered
        yield* sendEvents
        const waits = [5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440].map((minutes) => minutes * minuteMillis)
        for (const [n, wait] of waits.entries()) {
          yield* TestClock.adjust(wait - 1)
          yield* sendEvents
          expect(subscriber.got).toHaveLength(n + 1)
          yield* TestClock.adjust(wait * 0.2 + 1)
          yield* sendEvents
          expect(subscriber.got).toHaveLength(n + 2)
        }
        const [eventDelivery] = yield* eventDeliveriesOf(webhook.id)
        expect(eventDelivery).toMatchObject({ status: "failed", attemptCount: 10, nextAttemptAt: null })
        expect(new Set(subscriber.got.map(({ id }) => id)).size).toBe(1)
        expect(new Set(subscriber.got.map(({ body }) => new TextDecoder().decode(body))).size).toBe(1)
        expect(new Set(subscriber.got.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(10)
      })
    )
  })

  /** Runs the test after one refusal that asks for this wait. The test reads the state of the event delivery and its subscriber. */
  const afterRefusal = (
    retryAfterSeconds: number,
    test: (
      eventDelivery: Effect.Effect<WebhookDelivery, unknown, Webhooks>,
      subscriber: ReturnType<typeof scripted>
    ) => Effect.Effect<void, unknown, EventSender | Webhooks>
  ) => {
    const subscriber = scripted()
    subscriber.answers(() => Effect.succeed(refused({ retryAfterSeconds })))
    return withTestMail(store, { sink: subscriber.sink })(
      Effect.gen(function* () {
        const { webhook } = yield* create()
        yield* delivered
        yield* sendEvents
        yield* test(
          Effect.map(eventDeliveriesOf(webhook.id), ([eventDelivery]) => eventDelivery!),
          subscriber
        )
      })
    )
  }

  it("waits for the retry-after time of the endpoint, up to one day", () =>
    afterRefusal(3600, (eventDelivery, subscriber) =>
      Effect.gen(function* () {
        expect(yield* eventDelivery).toMatchObject({ nextAttemptAt: start + hourMillis })
        subscriber.answers(() => Effect.succeed(refused({ retryAfterSeconds: 9_999_999 })))
        yield* TestClock.adjust("1 hour")
        yield* sendEvents
        expect(yield* eventDelivery).toMatchObject({ nextAttemptAt: start + hourMillis + dayMillis })
      })
    ))

  it.each([1e9, Number.POSITIVE_INFINITY])("waits one day when the endpoint asks for %d seconds", (retryAfterSeconds) =>
    afterRefusal(retryAfterSeconds, (eventDelivery) =>
      Effect.map(eventDelivery, (one) => void expect(one).toMatchObject({ nextAttemptAt: start + dayMillis }))
    )
  )

  it.each([-5, Number.NaN])("keeps its schedule when the endpoint asks for %d seconds", (retryAfterSeconds) =>
    afterRefusal(retryAfterSeconds, (eventDelivery) =>
      Effect.map(eventDelivery, ({ nextAttemptAt }) => {
        expect(nextAttemptAt! - start).toBeGreaterThanOrEqual(5000)
        expect(nextAttemptAt! - start).toBeLessThanOrEqual(6000)
      })
    )
  )

  it("counts no answer within 15 seconds and a lost connection as failures", () => {
    const subscriber = scripted()
    return withTestMail(store, { sink: subscriber.sink })(
      Effect.gen(function* () {
        const { webhook } = yield* create()
        yield* delivered
        subscriber.answers(() => Effect.never)
        const fiber = yield* Effect.forkChild(sendEvents)
        yield* Effect.yieldNow
        yield* TestClock.adjust("15 seconds")
        yield* Fiber.join(fiber)
        subscriber.answers(() => Effect.fail(new SinkUnavailable({ reason: "econnreset" })))
        yield* TestClock.adjust("6 seconds")
        yield* sendEvents
        expect((yield* eventDeliveriesOf(webhook.id))[0]!.attempts).toMatchObject([
          { status: null, error: "timeout", durationMillis: 15_000 },
          { status: null, error: "econnreset" }
        ])
      })
    )
  })

  it("retries an event delivery under the same id after its process died", () => {
    const subscriber = scripted()
    return withTestMail(store, { sink: subscriber.sink })(
      Effect.gen(function* () {
        yield* create()
        yield* delivered
        subscriber.answers(() => Effect.never)
        const died = yield* Effect.forkChild(sendEvents)
        yield* Effect.yieldNow
        while (subscriber.got.length === 0) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        yield* Fiber.interrupt(died)
        subscriber.answers(() => Effect.succeed(accepted))
        expect(yield* sendEvents).toMatchObject({ attempted: 0 })
        yield* TestClock.adjust("31 seconds")
        expect(yield* sendEvents).toMatchObject({ attempted: 1 })
        expect(new Set(subscriber.got.map(({ id }) => id)).size).toBe(1)
      })
    )
  })

  it("replays an ended event delivery from the start of its schedule", () => {
    const subscriber = scripted()
    return withTestMail(store, { sink: subscriber.sink })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { webhook } = yield* create()
        yield* delivered
        yield* sendEvents
        const [eventDelivery] = yield* eventDeliveriesOf(webhook.id)
        expect(yield* webhooks.replay(project, webhook.id, eventDelivery!.id)).toMatchObject({
          status: "pending",
          attemptCount: 0
        })
        yield* webhooks.replay(project, webhook.id, eventDelivery!.id)
        yield* sendEvents
        expect(subscriber.got.map(({ id }) => id)).toEqual([eventDelivery!.id, eventDelivery!.id])
        expect((yield* eventDeliveriesOf(webhook.id))[0]!.attempts).toHaveLength(2)
        expect(yield* Effect.flip(webhooks.replay(project, webhook.id, "evd_none"))).toMatchObject({
          kind: "not_found"
        })
        expect(yield* Effect.flip(webhooks.replay("prj_other", webhook.id, eventDelivery!.id))).toMatchObject({
          kind: "not_found"
        })
        yield* webhooks.delete(project, webhook.id)
        expect(yield* Effect.flip(webhooks.replay(project, webhook.id, eventDelivery!.id))).toMatchObject({
          _tag: "RecordNotFound",
          record: "webhook"
        })
        expect(yield* sendEvents).toEqual({ distributed: 0, attempted: 0 })
      })
    )
  })

  it("sends an event that waits for a later attempt at once when it is replayed, and only once", () => {
    const subscriber = scripted()
    subscriber.answers(() => Effect.succeed(refused()))
    return withTestMail(store, { sink: subscriber.sink })(
      Effect.gen(function* () {
        const { webhook } = yield* create()
        yield* delivered
        yield* sendEvents
        const [waiting] = yield* eventDeliveriesOf(webhook.id)
        expect(waiting).toMatchObject({ status: "pending", attemptCount: 1 })
        expect(yield* sendEvents).toMatchObject({ attempted: 0 })
        subscriber.answers(() => Effect.succeed(accepted))
        yield* (yield* Webhooks).replay(project, webhook.id, waiting!.id)
        expect(yield* sendEvents).toMatchObject({ attempted: 1 })
        expect((yield* eventDeliveriesOf(webhook.id))[0]).toMatchObject({ status: "delivered", attemptCount: 1 })
        yield* TestClock.adjust("1 minute")
        expect(yield* sendEvents).toMatchObject({ attempted: 0 })
      })
    )
  })
})
