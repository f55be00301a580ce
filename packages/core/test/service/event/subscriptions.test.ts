/**
 * Tests the subscriptions of handlers in this process.
 */
import { openTestMail, project, send, sendEvents, stopped, stores, tick, withTestMail } from "@mailkeep/test-support"
import { Deferred, Effect, Exit, Layer, Result, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { EventHandler, EventKind } from "../../../src/index.ts"
import { Contacts, EventSender, MailStore } from "../../../src/index.ts"
import { delivered } from "./scriptedSink.ts"

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
  ])("allows a handler that returns %s, and retries the event after its failure", (_, failing, succeeding) =>
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

  it("gives a handler one event at a time when two ticks run at the same time", () => {
    const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    const asynchronous = Layer.effect(
      MailStore,
      Effect.map(MailStore, (inner) => ({
        ...inner,
        claimEventDeliveries: ((claim) =>
          Effect.andThen(turn, inner.claimEventDeliveries(claim))) as typeof inner.claimEventDeliveries
      }))
    )
    return withTestMail({ name: store.name, layer: Layer.provide(asynchronous, store.layer) })(
      Effect.gen(function* () {
        let underWay = 0
        const underWayThen: Array<number> = []
        yield* subscribed("audit", () =>
          Effect.gen(function* () {
            underWayThen.push(++underWay)
            yield* turn
            underWay--
          })
        )
        const contacts = yield* Contacts
        for (const name of ["a", "b", "c", "d"]) yield* contacts.create(project, { email: `${name}@example.org` })
        yield* Effect.all([sendEvents, sendEvents], { concurrency: "unbounded" })
        expect(underWayThen).toEqual([1, 1, 1, 1])
      })
    )
  })

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
        yield* contacts.create(project, { email: "c@example.org" })
        yield* sendEvents
        const own = `${project} contact.created`
        expect(got).toEqual([own, "prj_other contact.created", own])
        yield* TestClock.adjust("1 second")
        yield* sendEvents
        expect(got.slice(3)).toEqual([`${project} contact.created`])
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

  it("keeps a function that is registered twice when the first registration ends", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const got: Array<string> = []
        const handler: EventHandler = ({ kind }) => void got.push(kind)
        const first = yield* Scope.make()
        yield* Scope.provide(subscribed("audit", handler), first)
        yield* subscribed("audit", handler)
        yield* Scope.close(first, Exit.void)
        yield* (yield* Contacts).create(project, { email: "a@example.org" })
        yield* sendEvents
        expect(got).toEqual(["contact.created"])
      })
    ))

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
    withTestMail(store, { stub: { script: [{ acts: [{ act: "refuse", smtpCode: 550, enhancedCode: "5.1.1" }] }] } })(
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

  it.each([undefined, null, {}, "audit"])("refuses the handler %j, and stores no subscription", (handler) =>
    withTestMail(store)(
      Effect.gen(function* () {
        const failure = yield* Effect.flip(subscribed("audit", handler as never))
        expect(failure).toMatchObject({ _tag: "InvalidArgument", argument: "input", issues: [{ path: ["handler"] }] })
        yield* send("k")
        yield* tick
        expect((yield* sendEvents).attempted).toBe(0)
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
