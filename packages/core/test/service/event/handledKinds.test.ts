/**
 * Tests that a handler gets only events of its kinds, also when the kinds of its subscription change while events wait.
 */
import { project, sendEvents, stores, withTestMail } from "@mailkeep/test-support"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { EventKind, MailEventOf } from "../../../src/index.ts"
import { Contacts, EventSender, MailStore } from "../../../src/index.ts"
import { allProjects } from "../../../src/domain/event/Subscription.ts"
import { resourceOfKind } from "../../../src/internal/store/resources.ts"

/** Creates a contact and deletes it: one event of each of two kinds. */
const twoEvents = Effect.gen(function* () {
  const contacts = yield* Contacts
  const { id } = yield* contacts.create(project, { email: "ada@example.org" })
  yield* contacts.delete(project, id)
})

/** Subscribes a handler that records the kinds of its events. */
const subscribed = (kinds: ReadonlyArray<EventKind>) =>
  Effect.gen(function* () {
    const got: Array<string> = []
    yield* (yield* EventSender).subscribe("audit", ({ kind }) => void got.push(kind), kinds)
    return got
  })

const subscription = Effect.flatMap(MailStore, (store) =>
  Effect.map(
    store.read([{ _tag: "ResourceNamed", projectId: allProjects, kind: "subscription", parent: "", name: "audit" }]),
    ([found]) => resourceOfKind(found, "subscription")!
  )
)

/** Changes the kinds as another process does, whose handler this process does not have. */
const changedElsewhere = (events: ReadonlyArray<EventKind>) =>
  Effect.gen(function* () {
    const existing = yield* subscription
    const resource = { ...existing, content: { events }, revision: existing.revision + 1 }
    yield* (yield* MailStore).commit([{ _tag: "PutResource", resource, replaces: existing.revision }])
  })

/** The status and the reasons of each event delivery to the subscription, newest first. */
const eventDeliveries = Effect.gen(function* () {
  const { id } = yield* subscription
  const [found] = yield* (yield* MailStore).read([
    { _tag: "EventDeliveryPage", projectId: project, subscriber: id, after: null, limit: 50 }
  ])
  return found.map(({ status, latestAttempts }) => [status, ...latestAttempts.map(({ error }) => error)])
})

it("does not infer the kinds of a subscription from the type of its handler", () =>
  withTestMail(stores[0])(
    Effect.gen(function* () {
      const { subscribe } = yield* EventSender
      const got: Array<string> = []
      const created = ({ data }: MailEventOf<"contact.created">): void => void got.push(data.contact.email)
      yield* subscribe("created", created, ["contact.created"])
      // @ts-expect-error Without kinds, the handler gets every event.
      yield* subscribe("all", created)
      yield* (yield* Contacts).create(project, { email: "ada@example.org" })
      yield* sendEvents
      expect(got).toEqual(["ada@example.org", "ada@example.org"])
    })
  ))

describe.each(stores)("the kinds of a handler, over $name", (store) => {
  it("drops the events of a kind that a later registration no longer names", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* Effect.scoped(subscribed(["contact.created", "contact.deleted"]))
        yield* twoEvents
        yield* sendEvents
        const got = yield* subscribed(["contact.deleted"])
        yield* sendEvents
        expect(got).toEqual(["contact.deleted"])
        expect(yield* eventDeliveries).toEqual([
          ["delivered", null],
          ["failed", "kind_not_selected"]
        ])
      })
    ))

  it("leaves the events of other kinds to a process whose handler takes them", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const older = yield* subscribed(["contact.created"])
        yield* changedElsewhere(["contact.created", "contact.deleted"])
        yield* twoEvents
        yield* sendEvents
        expect(older).toEqual(["contact.created"])
        expect(yield* eventDeliveries).toEqual([
          ["pending", "no_handler"],
          ["delivered", null]
        ])
        const newer = yield* subscribed(["contact.created", "contact.deleted"])
        yield* TestClock.adjust("10 seconds")
        yield* sendEvents
        expect([older, newer]).toEqual([["contact.created"], ["contact.deleted"]])
      })
    ))

  it("gives a handler the events of its kinds that were distributed before another process changed the kinds", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const got = yield* subscribed(["contact.created"])
        yield* twoEvents
        yield* (yield* EventSender).distribute
        yield* changedElsewhere(["contact.deleted"])
        yield* sendEvents
        expect(got).toEqual(["contact.created"])
      })
    ))
})
