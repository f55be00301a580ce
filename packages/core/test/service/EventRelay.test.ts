import { withTestMail, openTestMail, project, relay, send, start, stopped, stores, tick } from "@mailkeep/testing"
import { Deferred, Effect, Fiber, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { EventDelivery, EventHandler, EventSinkShape, SinkRequest, SinkOutcome } from "../../src/index.ts"
import {
  Contacts,
  dayMillis,
  EventRelay,
  hourMillis,
  minuteMillis,
  SinkUnavailable,
  Suppressions,
  Webhooks
} from "../../src/index.ts"

const accepted: SinkOutcome = { _tag: "Accepted", status: 200 }
const refused = (change: Partial<SinkOutcome & { _tag: "Refused" }> = {}): SinkOutcome => ({
  _tag: "Refused",
  status: 500,
  retryAfterSeconds: null,
  gone: false,
  ...change
})

/** A sink that records its requests, and answers as the test sets. */
const scripted = () => {
  const got: Array<SinkRequest> = []
  let answer: (eventDelivery: SinkRequest) => Effect.Effect<SinkOutcome, SinkUnavailable> = () =>
    Effect.succeed(accepted)
  const sink: EventSinkShape = {
    capabilities: { carriesHeaders: true },
    send: (eventDelivery) => Effect.suspend(() => (got.push(eventDelivery), answer(eventDelivery)))
  }
  return {
    sink,
    got,
    to: (url: string) => got.filter(({ endpoint }) => endpoint === url),
    answers: (how: typeof answer) => (answer = how)
  }
}

const url = "https://hooks.example.net/a"
const create = (change: object = {}) =>
  Effect.flatMap(Webhooks, (webhooks) => webhooks.create(project, { url, ...change }))
const eventDeliveriesOf = (id: string) =>
  Effect.flatMap(Webhooks, (webhooks) =>
    Effect.map(webhooks.eventDeliveries(project, id, { limit: 100, cursor: null }), ({ items }) => items)
  )
const bodyOf = ({ body }: SinkRequest) => JSON.parse(new TextDecoder().decode(body))
const delivered = Effect.andThen(send("k", { to: "ada@example.org", metadata: { order: 7 } }), tick)

describe.each(stores)("EventRelay, over $name", (store) => {
  it("sends each event once to each webhook that wants it, and to no other webhook", () => {
    const subscriber = scripted()
    return withTestMail(store, { sink: subscriber.sink })(
      Effect.gen(function* () {
        const all = yield* create()
        yield* create({ url: "https://hooks.example.net/b", events: ["email.canceled"] })
        const other = yield* Effect.flatMap(Webhooks, (webhooks) =>
          webhooks.create("prj_other", { url: `${url}/other` })
        )
        yield* delivered
        expect(yield* relay).toEqual({ distributed: 1, attempted: 1 })
        expect(yield* relay).toEqual({ distributed: 0, attempted: 0 })
        expect(subscriber.got.map(({ endpoint }) => endpoint)).toEqual([url])
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
        expect(yield* eventDeliveriesOf(all.webhook.id)).toMatchObject([
          {
            status: "delivered",
            eventKind: "email.delivered",
            latestAttempts: [{ at: start, status: 200, error: null }]
          }
        ])
        expect(other.webhook.content.events).toHaveLength(4)
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
        yield* relay
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
        yield* (yield* EventRelay).subscribe("audit", ({ type }) => Effect.sync(() => handled.push(type)))
        yield* TestClock.setTime(start - dayMillis)
        yield* delivered
        yield* relay
        expect(subscriber.got.map((eventDelivery) => bodyOf(eventDelivery).type)).toEqual(["email.delivered"])
        expect(handled).toEqual(["email.delivered"])
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
        yield* relay
        const waits = [5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440].map((minutes) => minutes * minuteMillis)
        for (const [n, wait] of waits.entries()) {
          yield* TestClock.adjust(wait - 1)
          yield* relay
          expect(subscriber.got).toHaveLength(n + 1)
          yield* TestClock.adjust(wait * 0.2 + 1)
          yield* relay
          expect(subscriber.got).toHaveLength(n + 2)
        }
        const [eventDelivery] = yield* eventDeliveriesOf(webhook.id)
        expect(eventDelivery).toMatchObject({ status: "failed", attempts: 10, dueAt: null })
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
      eventDelivery: Effect.Effect<EventDelivery, unknown, Webhooks>,
      subscriber: ReturnType<typeof scripted>
    ) => Effect.Effect<void, unknown, EventRelay | Webhooks>
  ) => {
    const subscriber = scripted()
    subscriber.answers(() => Effect.succeed(refused({ retryAfterSeconds })))
    return withTestMail(store, { sink: subscriber.sink })(
      Effect.gen(function* () {
        const { webhook } = yield* create()
        yield* delivered
        yield* relay
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
        expect(yield* eventDelivery).toMatchObject({ dueAt: start + hourMillis })
        subscriber.answers(() => Effect.succeed(refused({ retryAfterSeconds: 9_999_999 })))
        yield* TestClock.adjust("1 hour")
        yield* relay
        expect(yield* eventDelivery).toMatchObject({ dueAt: start + hourMillis + dayMillis })
      })
    ))

  it.each([1e9, Number.POSITIVE_INFINITY])("waits one day when the endpoint asks for %d seconds", (retryAfterSeconds) =>
    afterRefusal(retryAfterSeconds, (eventDelivery) =>
      Effect.map(eventDelivery, (one) => void expect(one).toMatchObject({ dueAt: start + dayMillis }))
    )
  )

  it.each([-5, Number.NaN])("keeps its schedule when the endpoint asks for %d seconds", (retryAfterSeconds) =>
    afterRefusal(retryAfterSeconds, (eventDelivery) =>
      Effect.map(eventDelivery, ({ dueAt }) => {
        expect(dueAt! - start).toBeGreaterThanOrEqual(5000)
        expect(dueAt! - start).toBeLessThanOrEqual(6000)
      })
    )
  )

  it("disables a webhook that is gone, and fails its pending event deliveries", () => {
    const subscriber = scripted()
    subscriber.answers(() => Effect.succeed(refused({ status: 410, gone: true })))
    return withTestMail(store, { sink: subscriber.sink })(
      Effect.gen(function* () {
        const { webhook } = yield* create({ events: ["email.delivered", "email.suppressed"] })
        yield* delivered
        yield* relay
        expect((yield* (yield* Webhooks).get(project, webhook.id)).content.status).toBe("disabled")
        expect(yield* eventDeliveriesOf(webhook.id)).toMatchObject([{ status: "failed", attempts: 1 }])
        yield* (yield* Suppressions).add(project, "ada@example.org", "manual")
        yield* send("k2", { to: "ada@example.org" })
        expect(yield* relay).toEqual({ distributed: 1, attempted: 0 })
      })
    )
  })

  it("disables a webhook after five days of failures only, and not after a success", () => {
    const subscriber = scripted()
    return withTestMail(store, { sink: subscriber.sink })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { webhook } = yield* create()
        const status = Effect.map(webhooks.get(project, webhook.id), ({ content }) => content.status)
        const round = (n: number) => Effect.andThen(Effect.andThen(send(`k${n}`), tick), relay)
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
        expect(again.content).toMatchObject({ status: "enabled", failingSince: null })
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
        const fiber = yield* Effect.forkChild(relay)
        yield* Effect.yieldNow
        yield* TestClock.adjust("15 seconds")
        yield* Fiber.join(fiber)
        subscriber.answers(() => Effect.fail(new SinkUnavailable({ reason: "econnreset" })))
        yield* TestClock.adjust("6 seconds")
        yield* relay
        expect((yield* eventDeliveriesOf(webhook.id))[0]!.latestAttempts).toMatchObject([
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
        const died = yield* Effect.forkChild(relay)
        yield* Effect.yieldNow
        while (subscriber.got.length === 0) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        yield* Fiber.interrupt(died)
        subscriber.answers(() => Effect.succeed(accepted))
        expect(yield* relay).toMatchObject({ attempted: 0 })
        yield* TestClock.adjust("31 seconds")
        expect(yield* relay).toMatchObject({ attempted: 1 })
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
        const running = yield* Effect.forkChild((yield* EventRelay).run)
        yield* Effect.forEach(
          Array.from({ length: 40 }),
          (_, n) => Effect.flatMap(Contacts, (contacts) => contacts.create(project, { email: `c${n}@example.org` })),
          { discard: true }
        )
        const contacts = yield* Contacts
        for (const { id, email } of (yield* contacts.page(
          project,
          { search: null, emailStatus: null, listId: null, segmentId: null },
          { page: 1, limit: 100 }
        )).items)
          yield* contacts.update(project, id, { email, emailStatus: "unsubscribed" })
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

  it("replays an ended event delivery from the start of its schedule", () => {
    const subscriber = scripted()
    return withTestMail(store, { sink: subscriber.sink })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { webhook } = yield* create()
        yield* delivered
        yield* relay
        const [eventDelivery] = yield* eventDeliveriesOf(webhook.id)
        expect(yield* webhooks.replay(project, webhook.id, eventDelivery!.id)).toMatchObject({
          status: "pending",
          attempts: 0
        })
        yield* webhooks.replay(project, webhook.id, eventDelivery!.id)
        yield* relay
        expect(subscriber.got.map(({ id }) => id)).toEqual([eventDelivery!.id, eventDelivery!.id])
        expect((yield* eventDeliveriesOf(webhook.id))[0]!.latestAttempts).toHaveLength(2)
        expect(yield* Effect.flip(webhooks.replay(project, webhook.id, "evd_none"))).toMatchObject({
          kind: "not_found"
        })
        expect(yield* Effect.flip(webhooks.replay("prj_other", webhook.id, eventDelivery!.id))).toMatchObject({
          kind: "not_found"
        })
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

describe.each(stores)("a subscription, over $name", (store) => {
  const subscribed = (name: string, handler: EventHandler) =>
    Effect.flatMap(EventRelay, (relay) => relay.subscribe(name, handler))

  const javaScript = (returned: unknown) => (() => returned) as EventHandler
  const thenable = (then: (yes: (value: unknown) => void, no: (error: unknown) => void) => void) =>
    // oxlint-disable-next-line unicorn/no-thenable -- the handler returns a promise of another library
    javaScript({ then })
  it.each<readonly [string, EventHandler, EventHandler]>([
    ["an effect", () => Effect.fail("not now"), () => Effect.succeed(1)],
    ["a promise", () => Promise.reject(new Error("not now")), () => Promise.resolve(1)],
    ["a promise of another library", thenable((_, no) => no("not now")), thenable((yes) => yes(1))],
    [
      "nothing",
      () => {
        throw new Error("not now")
      },
      () => {}
    ],
    ["another value", () => Effect.die("not now"), javaScript(1)]
  ])("accepts a handler that returns %s, and retries the event after its failure", (_, failing, succeeding) =>
    withTestMail(store)(
      Effect.gen(function* () {
        const got: Array<string> = []
        let handler = failing
        yield* subscribed("audit", (event) => {
          got.push(event.type)
          return handler(event)
        })
        const contacts = yield* Contacts
        yield* contacts.create(project, { email: "a@example.org" })
        yield* relay
        expect(got).toEqual(["contact.created"])
        handler = succeeding
        yield* TestClock.adjust("1 second")
        yield* relay
        yield* TestClock.adjust("1 hour")
        expect(yield* relay).toMatchObject({ attempted: 0 })
        expect(got).toEqual(["contact.created", "contact.created"])
      })
    )
  )

  it("waits for the promise of a handler before the next event", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const got: Array<string> = []
        yield* subscribed("audit", async ({ data }) => {
          got.push(`begin ${"email" in data ? data.email : ""}`)
          await new Promise((resolve) => setImmediate(resolve))
          got.push("end")
        })
        const contacts = yield* Contacts
        yield* contacts.create(project, { email: "a@example.org" })
        yield* contacts.create(project, { email: "b@example.org" })
        yield* relay
        expect(got).toEqual(["begin a@example.org", "end", "begin b@example.org", "end"])
      })
    ))

  it("gives a handler the events of every project in order, and the same event again after a failure", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const got: Array<string> = []
        let failures = 1
        yield* subscribed("audit", ({ type, projectId }) =>
          Effect.suspend(() => {
            got.push(`${projectId} ${type}`)
            return failures-- > 0 ? Effect.fail("not now") : Effect.void
          })
        )
        const contacts = yield* Contacts
        yield* contacts.create(project, { email: "a@example.org" })
        yield* contacts.create("prj_other", { email: "b@example.org" })
        yield* relay
        expect(got).toEqual([`${project} contact.created`, "prj_other contact.created"])
        yield* TestClock.adjust("1 second")
        yield* relay
        expect(got.slice(2)).toEqual([`${project} contact.created`])
      })
    ))

  it("continues a subscription at its position after each start of the process", async () => {
    const mail = await openTestMail(store)
    const got: Array<string> = []
    const session = (email: string) =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* subscribed("audit", ({ data }) => Effect.sync(() => got.push(String(data["email"]))))
          yield* (yield* Contacts).create(project, { email })
          yield* relay
        })
      )
    await mail.runPromise(session("first@example.org"))
    await mail.runPromise(
      Effect.flatMap(Contacts, (contacts) => contacts.create(project, { email: "alone@example.org" }))
    )
    await mail.runPromise(relay)
    expect(got).toEqual(["first@example.org"])
    await mail.runPromise(session("third@example.org"))
    expect(got).toEqual(["first@example.org", "alone@example.org", "third@example.org"])
    await mail.dispose()
  })

  it("runs several subscriptions, each with its own position", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const counts = { slow: 0, quick: 0 }
        const opened = yield* Deferred.make<void>()
        yield* subscribed("slow", () =>
          Effect.andThen(
            Effect.sync(() => counts.slow++),
            Deferred.await(opened)
          )
        )
        yield* subscribed("quick", () => Effect.sync(() => counts.quick++))
        const running = yield* Effect.forkChild((yield* EventRelay).run)
        for (let n = 0; n < 5; n++) yield* (yield* Contacts).create(project, { email: `c${n}@example.org` })
        while (counts.quick < 5) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        expect(counts).toEqual({ slow: 1, quick: 5 })
        yield* Deferred.succeed(opened, undefined)
        while (counts.slow < 5) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        yield* stopped(running)
      })
    ))

  it("retries an event whose handler dies, and does not block the relay", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        let calls = 0
        yield* subscribed("broken", () =>
          Effect.sync(() => {
            calls++
            throw new Error("a bug of the product")
          })
        )
        yield* (yield* Contacts).create(project, { email: "a@example.org" })
        yield* relay
        for (const seconds of [1, 2, 4]) {
          yield* TestClock.adjust(`${seconds} seconds`)
          yield* relay
        }
        expect(calls).toBe(4)
        expect(Result.isSuccess(yield* Effect.result(relay))).toBe(true)
      })
    ))
})
