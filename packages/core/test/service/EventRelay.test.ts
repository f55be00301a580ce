import { inHouse, openHouse, project, relay, send, start, stopped, stores, tick } from "@mailkeep/proving"
import { Deferred, Effect, Fiber, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { EventHandler, EventSinkShape, Push, PushOutcome } from "../../src/index.ts"
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

const taken: PushOutcome = { _tag: "Taken", status: 200 }
const refused = (change: Partial<PushOutcome & { _tag: "Refused" }> = {}): PushOutcome => ({
  _tag: "Refused",
  status: 500,
  retryAfterSeconds: null,
  gone: false,
  ...change
})

/** A sink that keeps what it got, and answers as the test says. */
const scripted = () => {
  const got: Array<Push> = []
  let answer: (push: Push) => Effect.Effect<PushOutcome, SinkUnavailable> = () => Effect.succeed(taken)
  const sink: EventSinkShape = {
    capabilities: { carriesHeaders: true },
    push: (push) => Effect.suspend(() => (got.push(push), answer(push)))
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
const pushesOf = (id: string) =>
  Effect.flatMap(Webhooks, (webhooks) =>
    Effect.map(webhooks.pushes(project, id, { limit: 100, cursor: null }), ({ items }) => items)
  )
const bodyOf = ({ body }: Push) => JSON.parse(new TextDecoder().decode(body))
const delivered = Effect.andThen(send("k", { to: "ada@example.org", metadata: { order: 7 } }), tick)

describe.each(stores)("the relay, over $name", (store) => {
  it("takes each event to each webhook that wants it, once, and to none that does not", () => {
    const world = scripted()
    return inHouse(store, { sink: world.sink })(
      Effect.gen(function* () {
        const all = yield* create()
        yield* create({ url: "https://hooks.example.net/b", events: ["email.canceled"] })
        const other = yield* Effect.flatMap(Webhooks, (webhooks) =>
          webhooks.create("prj_other", { url: `${url}/other` })
        )
        yield* delivered
        expect(yield* relay).toEqual({ distributed: 1, pushed: 1 })
        expect(yield* relay).toEqual({ distributed: 0, pushed: 0 })
        expect(world.got.map(({ endpoint }) => endpoint)).toEqual([url])
        expect(bodyOf(world.got[0]!)).toMatchObject({
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
        expect(yield* pushesOf(all.webhook.id)).toMatchObject([
          { status: "delivered", eventKind: "email.delivered", tries: [{ at: start, status: 200, error: null }] }
        ])
        expect(other.webhook.content.events).toHaveLength(4)
      })
    )
  })

  it("tells a webhook of nothing that happened before it was there", () => {
    const world = scripted()
    return inHouse(store, { sink: world.sink })(
      Effect.gen(function* () {
        yield* delivered
        yield* TestClock.adjust("1 second")
        yield* create()
        yield* relay
        expect(world.got).toEqual([])
      })
    )
  })

  it("tells a webhook of everything that happens afterwards, by whatever clock", () => {
    const world = scripted()
    return inHouse(store, { sink: world.sink })(
      Effect.gen(function* () {
        yield* create()
        const heard: Array<string> = []
        yield* (yield* EventRelay).subscribe("audit", ({ type }) => Effect.sync(() => heard.push(type)))
        yield* TestClock.setTime(start - dayMillis)
        yield* delivered
        yield* relay
        expect(world.got.map((push) => bodyOf(push).type)).toEqual(["email.delivered"])
        expect(heard).toEqual(["email.delivered"])
      })
    )
  })

  it("tries again after each wait of the schedule, under one id, and gives up after ten tries", () => {
    const world = scripted()
    world.answers(() => Effect.succeed(refused()))
    return inHouse(store, { sink: world.sink })(
      Effect.gen(function* () {
        const { webhook } = yield* create()
        yield* delivered
        yield* relay
        const waits = [5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440].map((minutes) => minutes * minuteMillis)
        for (const [n, wait] of waits.entries()) {
          yield* TestClock.adjust(wait - 1)
          yield* relay
          expect(world.got).toHaveLength(n + 1)
          yield* TestClock.adjust(wait * 0.2 + 1)
          yield* relay
          expect(world.got).toHaveLength(n + 2)
        }
        const [push] = yield* pushesOf(webhook.id)
        expect(push).toMatchObject({ status: "failed", attempts: 10, dueAt: null })
        expect(new Set(world.got.map(({ id }) => id)).size).toBe(1)
        expect(new Set(world.got.map(({ body }) => new TextDecoder().decode(body))).size).toBe(1)
        expect(new Set(world.got.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(10)
      })
    )
  })

  it("waits as long as it is asked to, within a day", () => {
    const world = scripted()
    world.answers(() => Effect.succeed(refused({ retryAfterSeconds: 3600 })))
    return inHouse(store, { sink: world.sink })(
      Effect.gen(function* () {
        const { webhook } = yield* create()
        yield* delivered
        yield* relay
        expect((yield* pushesOf(webhook.id))[0]).toMatchObject({ dueAt: start + hourMillis })
        world.answers(() => Effect.succeed(refused({ retryAfterSeconds: 9_999_999 })))
        yield* TestClock.adjust("1 hour")
        yield* relay
        expect((yield* pushesOf(webhook.id))[0]).toMatchObject({ dueAt: start + hourMillis + dayMillis })
      })
    )
  })

  it.each([1e9, Number.POSITIVE_INFINITY])("waits a day when it is asked to wait %d seconds", (retryAfterSeconds) => {
    const world = scripted()
    world.answers(() => Effect.succeed(refused({ retryAfterSeconds })))
    return inHouse(store, { sink: world.sink })(
      Effect.gen(function* () {
        const { webhook } = yield* create()
        yield* delivered
        yield* relay
        expect((yield* pushesOf(webhook.id))[0]).toMatchObject({ dueAt: start + dayMillis })
      })
    )
  })

  it.each([-5, Number.NaN])("keeps to its schedule when it is asked to wait %d seconds", (retryAfterSeconds) => {
    const world = scripted()
    world.answers(() => Effect.succeed(refused({ retryAfterSeconds })))
    return inHouse(store, { sink: world.sink })(
      Effect.gen(function* () {
        const { webhook } = yield* create()
        yield* delivered
        yield* relay
        const [push] = yield* pushesOf(webhook.id)
        expect(push!.dueAt! - start).toBeGreaterThanOrEqual(5000)
        expect(push!.dueAt! - start).toBeLessThanOrEqual(6000)
      })
    )
  })

  it("disables a webhook that is gone, and fails what still waits for it", () => {
    const world = scripted()
    world.answers(() => Effect.succeed(refused({ status: 410, gone: true })))
    return inHouse(store, { sink: world.sink })(
      Effect.gen(function* () {
        const { webhook } = yield* create({ events: ["email.delivered", "email.suppressed"] })
        yield* delivered
        yield* relay
        expect((yield* (yield* Webhooks).get(project, webhook.id)).content.status).toBe("disabled")
        expect(yield* pushesOf(webhook.id)).toMatchObject([{ status: "failed", attempts: 1 }])
        yield* (yield* Suppressions).add(project, "ada@example.org", "manual")
        yield* send("k2", { to: "ada@example.org" })
        expect(yield* relay).toEqual({ distributed: 1, pushed: 0 })
      })
    )
  })

  it("disables a webhook after five days of nothing but failures, and not when one went well", () => {
    const world = scripted()
    return inHouse(store, { sink: world.sink })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { webhook } = yield* create()
        const status = Effect.map(webhooks.get(project, webhook.id), ({ content }) => content.status)
        const round = (n: number) => Effect.andThen(Effect.andThen(send(`k${n}`), tick), relay)
        world.answers(() => Effect.succeed(refused()))
        yield* round(1)
        yield* TestClock.adjust("4 days")
        world.answers(() => Effect.succeed(taken))
        yield* round(2)
        world.answers(() => Effect.succeed(refused()))
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

  it("counts silence for 15 seconds and a lost connection as failures", () => {
    const world = scripted()
    return inHouse(store, { sink: world.sink })(
      Effect.gen(function* () {
        const { webhook } = yield* create()
        yield* delivered
        world.answers(() => Effect.never)
        const fiber = yield* Effect.forkChild(relay)
        yield* Effect.yieldNow
        yield* TestClock.adjust("15 seconds")
        yield* Fiber.join(fiber)
        world.answers(() => Effect.fail(new SinkUnavailable({ reason: "econnreset" })))
        yield* TestClock.adjust("6 seconds")
        yield* relay
        expect((yield* pushesOf(webhook.id))[0]!.tries).toMatchObject([
          { status: null, error: "timeout", durationMillis: 15_000 },
          { status: null, error: "econnreset" }
        ])
      })
    )
  })

  it("leaves a push that its process died over to another, which tells it again under the same id", () => {
    const world = scripted()
    return inHouse(store, { sink: world.sink })(
      Effect.gen(function* () {
        yield* create()
        yield* delivered
        world.answers(() => Effect.never)
        const died = yield* Effect.forkChild(relay)
        yield* Effect.yieldNow
        while (world.got.length === 0) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        yield* Fiber.interrupt(died)
        world.answers(() => Effect.succeed(taken))
        expect(yield* relay).toMatchObject({ pushed: 0 })
        yield* TestClock.adjust("31 seconds")
        expect(yield* relay).toMatchObject({ pushed: 1 })
        expect(new Set(world.got.map(({ id }) => id)).size).toBe(1)
      })
    )
  })

  it("is not slowed by a consumer that hangs: the others get theirs meanwhile", () => {
    const world = scripted()
    world.answers(({ endpoint }) => (endpoint === url ? Effect.never : Effect.succeed(taken)))
    return inHouse(store, { sink: world.sink })(
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
        while (world.to("https://live.example.net/").length < 40)
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        expect(world.to(url)).toHaveLength(16)
        yield* stopped(running)
      })
    )
  })

  it("signs with the newest secret and, for a day after a rotation, with the one before", () => {
    const world = scripted()
    return inHouse(store, { sink: world.sink })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { webhook, secret } = yield* create()
        expect(Redacted.value(secret)).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
        const signatures = Effect.map(webhooks.test(project, webhook.id), () =>
          world.got.at(-1)!.headers["webhook-signature"]!.split(" ")
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

  it("replays what has settled, from the beginning of its schedule", () => {
    const world = scripted()
    return inHouse(store, { sink: world.sink })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { webhook } = yield* create()
        yield* delivered
        yield* relay
        const [push] = yield* pushesOf(webhook.id)
        expect(yield* webhooks.replay(project, webhook.id, push!.id)).toMatchObject({ status: "pending", attempts: 0 })
        yield* webhooks.replay(project, webhook.id, push!.id)
        yield* relay
        expect(world.got.map(({ id }) => id)).toEqual([push!.id, push!.id])
        expect((yield* pushesOf(webhook.id))[0]!.tries).toHaveLength(2)
        expect(yield* Effect.flip(webhooks.replay(project, webhook.id, "psh_none"))).toMatchObject({
          kind: "not_found"
        })
        expect(yield* Effect.flip(webhooks.replay("prj_other", webhook.id, push!.id))).toMatchObject({
          kind: "not_found"
        })
      })
    )
  })

  it("refuses addresses that are not public, and all but https", () =>
    inHouse(store)(
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
    // oxlint-disable-next-line unicorn/no-thenable -- a promise of another library is the case
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
  ])("takes a handler that returns %s, and a failure of it for a failed attempt", (_, failing, succeeding) =>
    inHouse(store)(
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
        expect(yield* relay).toMatchObject({ pushed: 0 })
        expect(got).toEqual(["contact.created", "contact.created"])
      })
    )
  )

  it("waits for a promise before it takes the next event", () =>
    inHouse(store)(
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

  it("gets every project's events in their order, and after a failure the same one again", () =>
    inHouse(store)(
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

  it("goes on where it was, however often its process starts, and hears what happened meanwhile", async () => {
    const house = await openHouse(store)
    const got: Array<string> = []
    const session = (email: string) =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* subscribed("audit", ({ data }) => Effect.sync(() => got.push(String(data["email"]))))
          yield* (yield* Contacts).create(project, { email })
          yield* relay
        })
      )
    await house.runPromise(session("first@example.org"))
    await house.runPromise(
      Effect.flatMap(Contacts, (contacts) => contacts.create(project, { email: "alone@example.org" }))
    )
    await house.runPromise(relay)
    expect(got).toEqual(["first@example.org"])
    await house.runPromise(session("third@example.org"))
    expect(got).toEqual(["first@example.org", "alone@example.org", "third@example.org"])
    await house.dispose()
  })

  it("runs beside others, each with a position of its own", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const counts = { slow: 0, quick: 0 }
        const gate = yield* Deferred.make<void>()
        yield* subscribed("slow", () =>
          Effect.andThen(
            Effect.sync(() => counts.slow++),
            Deferred.await(gate)
          )
        )
        yield* subscribed("quick", () => Effect.sync(() => counts.quick++))
        const running = yield* Effect.forkChild((yield* EventRelay).run)
        for (let n = 0; n < 5; n++) yield* (yield* Contacts).create(project, { email: `c${n}@example.org` })
        while (counts.quick < 5) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        expect(counts).toEqual({ slow: 1, quick: 5 })
        yield* Deferred.succeed(gate, undefined)
        while (counts.slow < 5) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        yield* stopped(running)
      })
    ))

  it("that dies in its handler is told again, and holds up nobody", () =>
    inHouse(store)(
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
