/**
 * Which failures count against a webhook, and when a warning says that a webhook was disabled.
 */
import { project, send, sendEvents, stopped, stores, tick, withTestMail } from "@mailkeep/test-support"
import { Deferred, Effect, Fiber, Latch, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { WebhookDelivery } from "../../../src/index.ts"
import { dayMillis } from "../../../src/domain/value/Instant.ts"
import { EventSender, MailStore, StoreUnavailable, Webhooks } from "../../../src/index.ts"
import type { MailStoreShape } from "../../../src/port/MailStore.ts"
import type { EventSinkShape, SinkRequest } from "../../../src/port/EventSink.ts"
import type { SinkOutcome } from "../../../src/domain/event/EventDelivery.ts"

const url = "https://hooks.example.net/a"
const accepted: SinkOutcome = { _tag: "Accepted", status: 200 }
const refused: SinkOutcome = { _tag: "Refused", status: 500, retryAfterSeconds: null, wantsNoMoreEvents: false }
const noMoreEvents: SinkOutcome = { ...refused, status: 410, wantsNoMoreEvents: true }

const sinkOf = (answer: (request: SinkRequest) => Effect.Effect<SinkOutcome>): EventSinkShape => ({
  capabilities: { carriesHeaders: true },
  send: answer
})
const create = (webhookUrl: string) =>
  Effect.flatMap(Webhooks, (webhooks) =>
    Effect.map(webhooks.create(project, { url: webhookUrl }), (one) => one.webhook)
  )
const delivered = (idempotencyKey: string) => Effect.andThen(send(idempotencyKey), tick)
const stateOf = (id: string) =>
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const { items } = yield* webhooks.listEventDeliveries(project, id)
    return { webhook: yield* webhooks.get(project, id), deliveries: items }
  })

describe.each(stores)("failures of a webhook, over $name", (store) => {
  /** The store, which cannot read an event while `failing` is set. */
  const withUnreadableEvents = (state: { failing: boolean }) => ({
    name: store.name,
    layer: Layer.effect(
      MailStore,
      Effect.map(MailStore, (mailStore): MailStoreShape => {
        const read: MailStoreShape["read"] = (queries) =>
          state.failing && queries.some(({ _tag }) => _tag === "Event")
            ? Effect.fail(new StoreUnavailable({ reason: "locked" }))
            : mailStore.read(queries)
        return { ...mailStore, read }
      })
    ).pipe(Layer.provide(store.layer))
  })

  it("refuses to replay an event delivery whose event has been deleted, and keeps its result", () => {
    let requests = 0
    const sink = sinkOf(() => Effect.sync(() => (++requests === 1 ? refused : accepted)))
    return withTestMail(store, { sink, dispatcher: { retention: { eventsMillis: dayMillis } } })(
      Effect.gen(function* () {
        const { id } = yield* create(url)
        yield* delivered("k")
        yield* sendEvents
        yield* TestClock.adjust("12 hours")
        yield* sendEvents
        yield* TestClock.adjust("13 hours")
        yield* tick
        const { deliveries } = yield* stateOf(id)
        expect(deliveries).toMatchObject([{ status: "delivered", attemptCount: 2 }])
        const replayed = yield* Effect.flip((yield* Webhooks).replay(project, id, deliveries[0]!.id))
        expect(replayed).toMatchObject({ _tag: "RecordNotFound", record: "event", id: deliveries[0]!.id })
        yield* sendEvents
        expect((yield* stateOf(id)).deliveries).toEqual(deliveries)
      })
    )
  })

  it("counts no attempt against a webhook when the store cannot read the event, and sends it 5 s later", () => {
    const state = { failing: true }
    let requests = 0
    const sink = sinkOf(() => Effect.sync(() => (requests++, accepted)))
    return withTestMail(withUnreadableEvents(state), { sink })(
      Effect.gen(function* () {
        const { id } = yield* create(url)
        yield* delivered("k")
        for (let days = 0; days < 6; days++) {
          yield* sendEvents
          yield* TestClock.adjust("1 day")
        }
        yield* sendEvents
        const failed = yield* stateOf(id)
        expect(failed.webhook).toMatchObject({ status: "enabled", failingSince: null })
        expect(failed.deliveries).toMatchObject([{ status: "pending", attemptCount: 0 }])
        expect(failed.deliveries[0]!.attempts.at(-1)).toMatchObject({ status: null, error: "store_locked" })
        expect(requests).toBe(0)
        state.failing = false
        yield* TestClock.adjust("5 seconds")
        yield* sendEvents
        expect((yield* stateOf(id)).deliveries).toMatchObject([{ status: "delivered", attemptCount: 1 }])
        expect(requests).toBe(1)
      })
    )
  })

  it("sends no event that it claimed ahead to a webhook that is paused since, and sends it after the pause", () => {
    const recipients = Array.from({ length: 25 }, (_, n) => `r${n}@example.org`)
    const [atOnce, acceptedFirst] = [16, 4]
    const refusing = Latch.makeUnsafe(false)
    let requests = 0
    let failing = true
    const sink = sinkOf(() =>
      ++requests <= acceptedFirst || !failing
        ? Effect.as(Effect.yieldNow, accepted)
        : Effect.as(refusing.await, refused)
    )
    return withTestMail(store, { sink })(
      Effect.gen(function* () {
        const { id } = yield* create(url)
        yield* Effect.andThen(send("k", { to: recipients }), tick)
        const running = yield* Effect.forkChild((yield* EventSender).run)
        const nextTurn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        const deliveries = Effect.flatMap(Webhooks, (webhooks) =>
          Effect.map(webhooks.listEventDeliveries(project, id, { limit: 100 }), ({ items }) => items)
        )
        // The first successes let the sender claim the other events. It sends as many as succeeded, and the rest waits.
        while (requests < atOnce + acceptedFirst) yield* nextTurn
        yield* refusing.open
        const attemptsOf = (all: ReadonlyArray<WebhookDelivery>) => all.flatMap(({ attempts }) => attempts)
        const isAttempted = ({ attempts }: WebhookDelivery) => attempts.length > 0
        while (!(yield* deliveries).every(isAttempted)) yield* nextTurn
        const paused = attemptsOf(yield* deliveries).filter(({ error }) => error === "webhook_paused")
        expect(paused.length).toBe(recipients.length - requests)
        expect(requests).toBeLessThan(recipients.length)
        failing = false
        while ((yield* deliveries).some(({ status }) => status === "pending"))
          yield* Effect.andThen(TestClock.adjust("1 second"), nextTurn)
        yield* stopped(running)
      })
    )
  })

  it("does not disable a webhook whose URL changed before its old URL answered 410, and retries at the new URL", () =>
    Effect.runPromise(Deferred.make<SinkOutcome>()).then((answer) => {
      const endpoints: Array<string> = []
      const sink = sinkOf(({ endpoint }) =>
        Effect.suspend(
          () => (endpoints.push(endpoint), endpoint === url ? Deferred.await(answer) : Effect.succeed(accepted))
        )
      )
      return withTestMail(store, { sink })(
        Effect.gen(function* () {
          const { id } = yield* create(url)
          yield* delivered("k")
          const sending = yield* Effect.forkChild(sendEvents)
          while (endpoints.length === 0) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
          yield* (yield* Webhooks).update(project, id, { url: `${url}/new` })
          yield* Deferred.succeed(answer, noMoreEvents)
          yield* Fiber.join(sending)
          const { webhook, deliveries } = yield* stateOf(id)
          expect(webhook).toMatchObject({ status: "enabled", failingSince: null, url: `${url}/new` })
          expect(deliveries).toMatchObject([{ status: "pending", attemptCount: 1 }])
          yield* TestClock.adjust("6 seconds")
          yield* sendEvents
          expect(endpoints).toEqual([url, `${url}/new`])
          expect((yield* stateOf(id)).deliveries).toMatchObject([{ status: "delivered", attemptCount: 2 }])
        })
      )
    }))

  it.each<[string, SinkOutcome, string]>([
    ["its endpoint wants no more events", noMoreEvents, "its endpoint wants no more events (410)"],
    ["its attempts failed for five days", refused, "all attempts failed for five days"]
  ])("logs one warning with only the host of the URL when a webhook is disabled because %s", (_, outcome, reason) => {
    const warnings: Array<unknown> = []
    const logger = Logger.make(({ message, logLevel }) => {
      if (logLevel === "Warn") warnings.push(message)
    })
    return withTestMail(store, { sink: sinkOf(() => Effect.succeed(outcome)) })(
      Effect.gen(function* () {
        const { id } = yield* create(`${url}?secret=s3cret#part`)
        yield* delivered("k1")
        yield* sendEvents
        yield* TestClock.adjust("5 days")
        yield* delivered("k2")
        yield* sendEvents
        yield* TestClock.adjust("1 day")
        yield* sendEvents
        expect((yield* stateOf(id)).webhook.status).toBe("disabled")
        const { host } = new URL(url)
        expect(warnings).toEqual([["A webhook was disabled.", { webhookId: id, projectId: project, host, reason }]])
      }).pipe(Effect.provide(Logger.layer([logger])))
    )
  })
})
