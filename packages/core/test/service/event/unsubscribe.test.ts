/**
 * Tests the deletion of subscriptions, and what becomes of the events that wait for their handlers.
 */
import type { StoreUnderTest } from "@mailkeep/test-support"
import { project, sendEvents, stores, withTestMail } from "@mailkeep/test-support"
import { Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Contacts, EventSender, MailStore } from "../../../src/index.ts"
import { allProjects } from "../../../src/domain/event/Subscription.ts"
import { resourceOfKind } from "../../../src/internal/store/resources.ts"

const createContact = (email: string) => Effect.flatMap(Contacts, (contacts) => contacts.create(project, { email }))

/** Subscribes a handler that records the addresses of new contacts. */
const subscribed = Effect.gen(function* () {
  const got: Array<string> = []
  yield* (yield* EventSender).subscribe("audit", ({ data }) => void got.push(data.contact.email), ["contact.created"])
  return got
})

const unsubscribe = (name: string) => EventSender.use((sender) => sender.unsubscribe(name))

/** Two events wait for a handler that has gone. */
const twoWaitingEvents = Effect.gen(function* () {
  yield* Effect.scoped(subscribed)
  yield* createContact("a@example.org")
  yield* createContact("b@example.org")
  yield* sendEvents
})

/** The stored subscription. */
const subscription = Effect.flatMap(MailStore, (store) =>
  Effect.map(
    store.read([{ _tag: "ResourceNamed", projectId: allProjects, kind: "subscription", parent: "", name: "audit" }]),
    ([found]) => resourceOfKind(found, "subscription")!
  )
)

/** The status and the reasons of each event delivery to a subscriber. */
const eventDeliveries = (subscriber: string) =>
  Effect.gen(function* () {
    const [found] = yield* (yield* MailStore).read([
      { _tag: "EventDeliveryPage", projectId: project, subscriber, after: null, limit: 50 }
    ])
    return found.map(({ status, latestAttempts }) => [status, ...latestAttempts.map(({ error }) => error)])
  })

const pending = Effect.flatMap(MailStore, (store) =>
  Effect.map(store.read([{ _tag: "PendingEventDeliveries", now: Number.MAX_SAFE_INTEGER }]), ([found]) => found)
)

describe.each(stores)("unsubscribe, over $name", (store) => {
  it("drops the events that wait for the handler", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* twoWaitingEvents
        const { id } = yield* subscription
        expect(yield* eventDeliveries(id)).toEqual([["pending"], ["pending"]])
        yield* unsubscribe("audit")
        expect(yield* sendEvents).toEqual({ distributed: 0, attempted: 2 })
        expect(yield* eventDeliveries(id)).toEqual([
          ["failed", "subscription_deleted"],
          ["failed", "subscription_deleted"]
        ])
        expect(yield* pending).toEqual([])
      })
    ))

  it("ends the calls of the handler, and gives it only later events after it subscribes again", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const first = yield* subscribed
        yield* unsubscribe("audit")
        yield* createContact("a@example.org")
        yield* sendEvents
        const second = yield* subscribed
        yield* createContact("b@example.org")
        yield* sendEvents
        expect([first, second]).toEqual([[], ["b@example.org"]])
      })
    ))

  it("drops the events within a minute when another process deletes the subscription", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* twoWaitingEvents
        const { id, revision } = yield* subscription
        yield* (yield* MailStore).commit([{ _tag: "RemoveResource", projectId: allProjects, id, revision }])
        yield* TestClock.adjust("1 minute")
        expect((yield* sendEvents).attempted).toBe(2)
        expect(yield* pending).toEqual([])
      })
    ))

  it("permits another subscription in the place of the deleted one", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { subscribe } = yield* EventSender
        for (let n = 1; n <= 100; n++) yield* subscribe(`s${n}`, () => {})
        yield* unsubscribe("s1")
        yield* subscribe("s101", () => {})
        expect(yield* Effect.flip(subscribe("s102", () => {}))).toMatchObject({ _tag: "TooManyRecords" })
      })
    ))

  it("does nothing for a name without a subscription, and refuses what is no name", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const got = yield* subscribed
        yield* unsubscribe("other")
        for (const name of ["", "a".repeat(101), 5 as never])
          expect(yield* Effect.flip(unsubscribe(name))).toMatchObject({
            _tag: "InvalidArgument",
            issues: [{ path: ["name"] }]
          })
        yield* createContact("a@example.org")
        yield* sendEvents
        expect(got).toEqual(["a@example.org"])
      })
    ))
})

describe("a subscription without a handler", () => {
  it("keeps its events, however long they wait", () =>
    withTestMail(stores[0])(
      Effect.gen(function* () {
        yield* twoWaitingEvents
        for (let minute = 0; minute < 5; minute++) {
          yield* TestClock.adjust("1 minute")
          expect((yield* sendEvents).attempted).toBe(0)
        }
        const got = yield* subscribed
        yield* sendEvents
        expect(got).toEqual(["a@example.org", "b@example.org"])
      })
    ))

  it("keeps an event whose handler has gone between the claim and the attempt", async () => {
    const handler = Scope.makeUnsafe()
    const losesHandler: StoreUnderTest = {
      name: "memory whose claims end the scope of the handler",
      layer: Layer.effect(
        MailStore,
        Effect.map(MailStore, (store) => ({
          ...store,
          claimEventDeliveries: (claim) =>
            Effect.ensuring(store.claimEventDeliveries(claim), Scope.close(handler, Exit.void))
        }))
      ).pipe(Layer.provide(stores[0].layer))
    }
    await withTestMail(losesHandler)(
      Effect.gen(function* () {
        const lost = yield* Scope.provide(subscribed, handler)
        yield* createContact("a@example.org")
        expect((yield* sendEvents).attempted).toBe(1)
        expect(yield* eventDeliveries((yield* subscription).id)).toEqual([["pending", "no_handler"]])
        const got = yield* subscribed
        yield* TestClock.adjust("1 second")
        yield* sendEvents
        expect([lost, got]).toEqual([[], ["a@example.org"]])
      })
    )
  })
})
