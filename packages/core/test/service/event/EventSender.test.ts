import { withTestMail, openTestMail, project, sendEvents, send, start, stopped, stores, tick } from "@mailkeep/testing"
import { Deferred, Effect, Exit, Fiber, Redacted, Result, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { EventHandler, EventKind, WebhookDelivery } from "../../../src/index.ts"
import type { EventSinkShape, SinkRequest } from "../../../src/port/EventSink.ts"
import type { SinkOutcome } from "../../../src/domain/event/EventDelivery.ts"
import { Contacts, EventSender, Suppressions, Webhooks } from "../../../src/index.ts"
import { dayMillis, hourMillis, minuteMillis } from "../../../src/domain/value/Instant.ts"
import { SinkUnavailable } from "../../../src/port/EventSink.ts"

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
    Effect.map(webhooks.listEventDeliveries(project, id, { limit: 100 }), ({ items }) => items)
  )
const bodyOf = ({ body }: SinkRequest) => JSON.parse(new TextDecoder().decode(body))
const delivered = Effect.andThen(send("k", { to: "ada@example.org", metadata: { order: 7 } }), tick)

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

  it("disables a webhook that is gone, and fails its pending event deliveries", () => {
    const subscriber = scripted()
    subscriber.answers(() => Effect.succeed(refused({ status: 410, gone: true })))
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

describe.each(stores)("a subscription, over $name", (store) => {
  const subscribed = (name: string, handler: EventHandler) =>
    Effect.flatMap(EventSender, (eventSender) => eventSender.subscribe(name, handler))

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
          got.push(event.kind)
          return handler(event)
        })
        const contacts = yield* Contacts
        yield* contacts.create(project, { email: "a@example.org" })
        yield* sendEvents
        expect(got).toEqual(["contact.created"])
        handler = succeeding
        yield* TestClock.adjust("1 second")
        yield* sendEvents
        yield* TestClock.adjust("1 hour")
        expect(yield* sendEvents).toMatchObject({ attempted: 0 })
        expect(got).toEqual(["contact.created", "contact.created"])
      })
    )
  )

  it("waits for the promise of a handler before the next event", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const got: Array<string> = []
        yield* subscribed("audit", async ({ data }) => {
          got.push(`begin ${"contact" in data ? data.contact.email : ""}`)
          await new Promise((resolve) => setImmediate(resolve))
          got.push("end")
        })
        const contacts = yield* Contacts
        yield* contacts.create(project, { email: "a@example.org" })
        yield* contacts.create(project, { email: "b@example.org" })
        yield* sendEvents
        expect(got).toEqual(["begin a@example.org", "end", "begin b@example.org", "end"])
      })
    ))

  it("gives a handler the events of every project in order, and the same event again after a failure", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const got: Array<string> = []
        let failures = 1
        yield* subscribed("audit", ({ kind, projectId }) =>
          Effect.suspend(() => {
            got.push(`${projectId} ${kind}`)
            return failures-- > 0 ? Effect.fail("not now") : Effect.void
          })
        )
        const contacts = yield* Contacts
        yield* contacts.create(project, { email: "a@example.org" })
        yield* contacts.create("prj_other", { email: "b@example.org" })
        yield* sendEvents
        expect(got).toEqual([`${project} contact.created`, "prj_other contact.created"])
        yield* TestClock.adjust("1 second")
        yield* sendEvents
        expect(got.slice(2)).toEqual([`${project} contact.created`])
      })
    ))

  it("continues a subscription at its position after each start of the process", async () => {
    const mail = await openTestMail(store)
    const got: Array<string> = []
    const session = (email: string) =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* subscribed("audit", ({ data }) =>
            Effect.sync(() => got.push("contact" in data ? data.contact.email : ""))
          )
          yield* (yield* Contacts).create(project, { email })
          yield* sendEvents
        })
      )
    await mail.runPromise(session("first@example.org"))
    await mail.runPromise(
      Effect.flatMap(Contacts, (contacts) => contacts.create(project, { email: "alone@example.org" }))
    )
    await mail.runPromise(sendEvents)
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
        const running = yield* Effect.forkChild((yield* EventSender).run)
        for (let n = 0; n < 5; n++) yield* (yield* Contacts).create(project, { email: `c${n}@example.org` })
        while (counts.quick < 5) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        expect(counts).toEqual({ slow: 1, quick: 5 })
        yield* Deferred.succeed(opened, undefined)
        while (counts.slow < 5) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        yield* stopped(running)
      })
    ))

  it("gives a handler only the kinds that it asks for, with the data of these kinds", () =>
    withTestMail(store, { stub: { script: [{ acts: [{ act: "reject", code: 550, enhancedCode: "5.1.1" }] }] } })(
      Effect.gen(function* () {
        const got: Array<string> = []
        const eventSender = yield* EventSender
        yield* eventSender.subscribe("bounces", ({ kind, data }) => void got.push(`${kind} ${data.bounce.smtpCode}`), [
          "email.bounced"
        ])
        yield* (yield* Contacts).create(project, { email: "a@example.org" })
        yield* send("k")
        yield* tick
        yield* sendEvents
        expect(got).toEqual(["email.bounced 550"])
      })
    ))

  it("changes the kinds of a subscription at its next registration", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const got: Array<string> = []
        const eventSender = yield* EventSender
        const contacts = yield* Contacts
        const registered = (kind: EventKind) =>
          Effect.scoped(
            Effect.gen(function* () {
              yield* eventSender.subscribe("audit", (event) => void got.push(event.kind), [kind])
              const { id } = yield* contacts.create(project, { email: `${kind}@example.org` })
              yield* contacts.delete(project, id)
              yield* sendEvents
            })
          )
        yield* registered("contact.created")
        yield* registered("contact.deleted")
        expect(got).toEqual(["contact.created", "contact.deleted"])
      })
    ))

  it.each<[string, string, ReadonlyArray<EventKind> | undefined, string]>([
    ["without a name", "", undefined, "name"],
    ["with a name of 101 characters", "a".repeat(101), undefined, "name"],
    ["without a kind", "audit", [], "kinds"],
    ["of an unknown kind", "audit", ["zzz" as EventKind], "kinds"]
  ])("refuses a subscription %s", (_, name, kinds, field) =>
    withTestMail(store)(
      Effect.gen(function* () {
        const refused = Effect.flatMap(EventSender, (eventSender) => eventSender.subscribe(name, () => {}, kinds))
        const failure = yield* Effect.flip(refused)
        expect(failure).toMatchObject({
          _tag: "InvalidArgument",
          argument: "input",
          issues: [{ path: expect.arrayContaining([field]) }]
        })
      })
    )
  )

  it("refuses the 101st subscription, and replaces the handler of an existing subscription", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const eventSender = yield* EventSender
        const got: Array<string> = []
        const first = yield* Scope.make()
        for (let n = 1; n <= 100; n++)
          yield* Scope.provide(
            eventSender.subscribe(`s${n}`, () => void got.push(`s${n}`), ["email.failed"]),
            first
          )
        expect(yield* Effect.flip(eventSender.subscribe("s101", () => {}))).toMatchObject({
          _tag: "TooManyRecords",
          record: "subscription",
          max: 100
        })
        yield* eventSender.subscribe("s100", () => void got.push("replaced"), ["email.delivered"])
        yield* Scope.close(first, Exit.void)
        yield* delivered
        yield* sendEvents
        expect(got).toEqual(["replaced"])
      })
    ))

  it("retries an event whose handler dies, and does not block the event sender", () =>
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
        yield* sendEvents
        for (const seconds of [1, 2, 4]) {
          yield* TestClock.adjust(`${seconds} seconds`)
          yield* sendEvents
        }
        expect(calls).toBe(4)
        expect(Result.isSuccess(yield* Effect.result(sendEvents))).toBe(true)
      })
    ))
})
