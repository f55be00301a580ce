/**
 * Tests how the event sender sends events to webhooks.
 */
import { project, send, sendEvents, start, stopped, stores, tick, withTestMail } from "@mailkeep/test-support"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { dayMillis } from "../../../src/domain/value/Instant.ts"
import { Contacts, EventSender, Suppressions, Webhooks } from "../../../src/index.ts"
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
