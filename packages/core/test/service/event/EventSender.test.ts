/**
 * Tests how the event sender sends events to webhooks.
 */
import { project, send, sendEvents, start, stopped, stores, tick, withTestMail } from "@mailkeep/test-support"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { dayMillis, hourMillis, minuteMillis } from "../../../src/domain/value/Instant.ts"
import type { WebhookDelivery } from "../../../src/index.ts"
import { Contacts, EventSender, Suppressions, Webhooks } from "../../../src/index.ts"
import { SinkUnavailable } from "../../../src/port/EventSink.ts"
import { accepted, bodyOf, create, delivered, eventDeliveriesOf, refused, scripted, url } from "./scriptedSink.ts"

describe.each(stores)("EventSender, over $name", (store) => {
  it("sends each event once to each webhook that wants it, and to no other webhook", () => {
    const subscriber = scripted()
    return withTestMail(store, { sink: subscriber.sink })(
      Effect.gen(function* () {
        const all = yield* create()
        yield* create({ url: "https://hooks.example.net/b", events: ["email.canceled"] })
        yield* create({ url: "https://hooks.example.net/c", events: ["email.delivered"] })
        const other = yield* Effect.flatMap(Webhooks, (webhooks) =>
          webhooks.create("prj_other", { url: `${url}/other` })
        )
        yield* delivered
        yield* Effect.andThen(send("k2", { to: "bob@example.org" }), tick)
        expect(yield* sendEvents).toEqual({ distributed: 2, attempted: 4 })
        expect(yield* sendEvents).toEqual({ distributed: 0, attempted: 0 })
        for (const wanting of [url, "https://hooks.example.net/c"])
          expect(
            subscriber
              .to(wanting)
              .map((one) => bodyOf(one).data.recipient)
              .toSorted()
          ).toEqual(["ada@example.org", "bob@example.org"])
        expect(subscriber.got).toHaveLength(4)
        expect(bodyOf(subscriber.got[0]!)).toMatchObject({
          type: "email.delivered",
          data: {
            recipient: "ada@example.org",
            subject: "Hello",
            status: "delivered",
            previous_status: "sending",
            reason: null,
            contact_id: null,
            template_id: null,
            source: "embedded",
            metadata: { order: 7 },
            sequence: 1
          }
        })
        const sent = {
          status: "delivered",
          eventKind: "email.delivered",
          attempts: [{ at: start, status: 200, error: null }]
        }
        expect(yield* eventDeliveriesOf(all.webhook.id)).toMatchObject([sent, sent])
        expect(other.webhook.events).toHaveLength(4)
      })
    )
  })

  it("sends no event that happened before the webhook was created", () => {
    const subscriber = scripted()
    return withTestMail(store, { sink: subscriber.sink })(
      Effect.gen(function* () {
        yield* delivered
        yield* TestClock.adjust("1 second")
        yield* create()
        yield* sendEvents
        expect(subscriber.got).toEqual([])
      })
    )
  })

  it("sends every event after the webhook was created, also when the clock is set back", () => {
    const subscriber = scripted()
    return withTestMail(store, { sink: subscriber.sink })(
      Effect.gen(function* () {
        yield* create()
        const handled: Array<string> = []
        yield* (yield* EventSender).subscribe("audit", ({ kind }) => Effect.sync(() => handled.push(kind)))
        yield* TestClock.setTime(start - dayMillis)
        yield* delivered
        yield* TestClock.setTime(start)
        yield* Effect.andThen(send("k2"), tick)
        yield* sendEvents
        expect(subscriber.got.map((eventDelivery) => bodyOf(eventDelivery).type)).toEqual([
          "email.delivered",
          "email.delivered"
        ])
        expect(handled).toEqual(["email.delivered", "email.delivered"])
      })
    )
  })

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

  it("disables a webhook that wants no more events, and fails its pending event deliveries", () => {
    const subscriber = scripted()
    subscriber.answers(() => Effect.succeed(refused({ status: 410, wantsNoMoreEvents: true })))
    return withTestMail(store, { sink: subscriber.sink })(
      Effect.gen(function* () {
        const { webhook } = yield* create({ events: ["email.delivered", "email.suppressed"] })
        yield* delivered
        yield* sendEvents
        expect((yield* (yield* Webhooks).get(project, webhook.id)).status).toBe("disabled")
        expect(yield* eventDeliveriesOf(webhook.id)).toMatchObject([{ status: "failed", attemptCount: 1 }])
        yield* (yield* Suppressions).addReason(project, "ada@example.org", "manual")
        yield* send("k2", { to: "ada@example.org" })
        expect(yield* sendEvents).toEqual({ distributed: 1, attempted: 0 })
      })
    )
  })

  it("disables a webhook after five days of failures only, and not after a success", () => {
    const subscriber = scripted()
    return withTestMail(store, { sink: subscriber.sink })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { webhook } = yield* create()
        const status = Effect.map(webhooks.get(project, webhook.id), ({ status }) => status)
        const round = (n: number) => Effect.andThen(Effect.andThen(send(`k${n}`), tick), sendEvents)
        subscriber.answers(() => Effect.succeed(refused()))
        yield* round(1)
        yield* TestClock.adjust("4 days")
        subscriber.answers(() => Effect.succeed(accepted))
        yield* round(2)
        subscriber.answers(() => Effect.succeed(refused()))
        yield* round(3)
        yield* TestClock.adjust("119 hours")
        yield* round(4)
        expect(yield* status).toBe("enabled")
        yield* TestClock.adjust("1 hour")
        yield* round(5)
        expect(yield* status).toBe("disabled")
        const again = yield* webhooks.update(project, webhook.id, { status: "enabled" })
        expect(again).toMatchObject({ status: "enabled", failingSince: null })
      })
    )
  })

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

  it("delivers to other subscribers while one subscriber hangs", () => {
    const subscriber = scripted()
    subscriber.answers(({ endpoint }) => (endpoint === url ? Effect.never : Effect.succeed(accepted)))
    return withTestMail(store, { sink: subscriber.sink })(
      Effect.gen(function* () {
        yield* create()
        yield* create({ url: "https://live.example.net/" })
        const running = yield* Effect.forkChild((yield* EventSender).run)
        yield* Effect.forEach(
          Array.from({ length: 40 }),
          (_, n) => Effect.flatMap(Contacts, (contacts) => contacts.create(project, { email: `c${n}@example.org` })),
          { discard: true }
        )
        const contacts = yield* Contacts
        for (const { id, email } of (yield* contacts.list(project, { limit: 100 })).items)
          yield* contacts.update(project, id, { email, emailStatus: "unsubscribed" })
        // The events of new contacts have no subscriber, and the sender can pause after them.
        yield* TestClock.adjust("25 millis")
        while (subscriber.to("https://live.example.net/").length < 40)
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        expect(subscriber.to(url)).toHaveLength(16)
        yield* stopped(running)
      })
    )
  })

  it("signs with the newest secret, and for one day after a rotation also with the previous secret", () => {
    const subscriber = scripted()
    return withTestMail(store, { sink: subscriber.sink })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { webhook, secret } = yield* create()
        expect(Redacted.value(secret)).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
        const signatures = Effect.map(webhooks.test(project, webhook.id), () =>
          subscriber.got.at(-1)!.headers["webhook-signature"]!.split(" ")
        )
        expect(yield* signatures).toHaveLength(1)
        const rotated = yield* webhooks.rotateSecret(project, webhook.id)
        expect(Redacted.value(rotated.secret)).not.toBe(Redacted.value(secret))
        expect(yield* signatures).toHaveLength(2)
        yield* TestClock.adjust("24 hours")
        expect(yield* signatures).toHaveLength(1)
        expect(JSON.stringify(yield* webhooks.get(project, webhook.id))).not.toContain(Redacted.value(secret).slice(6))
      })
    )
  })

  it("signs with each earlier secret for one day after its own rotation, also when the secret is rotated again", () => {
    const subscriber = scripted()
    return withTestMail(store, { sink: subscriber.sink })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { webhook } = yield* create()
        const signatures = Effect.map(
          webhooks.test(project, webhook.id),
          () => subscriber.got.at(-1)!.headers["webhook-signature"]!.split(" ").length
        )
        yield* webhooks.rotateSecret(project, webhook.id)
        yield* TestClock.adjust("1 hour")
        // The answer of the first rotation can be lost, so that the receiver still has the first secret.
        yield* webhooks.rotateSecret(project, webhook.id)
        expect(yield* signatures).toBe(3)
        yield* TestClock.adjust("23 hours")
        expect(yield* signatures).toBe(2)
        yield* TestClock.adjust("1 hour")
        expect(yield* signatures).toBe(1)
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

  it("refuses a webhook URL that is not public or not https", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        for (const bad of [
          "http://hooks.example.net/",
          "https://127.0.0.1/",
          "https://localhost/",
          "https://[::1]/",
          "https://10.0.0.1/",
          "https://169.254.169.254/latest",
          "https://0x7f000001/",
          "https://user:secret@hooks.example.net/",
          "ftp://hooks.example.net/",
          "nonsense"
        ])
          expect(yield* Effect.flip(create({ url: bad }))).toMatchObject({ issues: [{ path: ["url"] }] })
      })
    ))
})
