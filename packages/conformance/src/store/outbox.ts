/**
 * Laws of the outbox: an event exists with its commit, and events are listed in order.
 */
import type { EventRecord } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import { ask } from "./queries.ts"
import { commit, commitResult, insert, put } from "./changes.ts"
import * as sample from "./sampleRecords.ts"
import { idsOf, numbered, otherId, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0016-events.md")

const events = { _tag: "Events", projectId, after: null, limit: 100 } as const

const withItsCommit = law(
  "outbox/event-exists-with-its-commit",
  "An event exists if and only if the commit that appended it was kept.",
  function* (store) {
    yield* commit(store, put.setting("a"), insert.event(sample.event({ id: "evt_1" })))
    yield* commitResult(store, put.setting("a"), insert.event(sample.event({ id: "evt_2" })))
    yield* same("the events", idsOf(yield* ask(store, events)), ["evt_1"])
    yield* commit(store, put.setting("b"), insert.event(sample.event({ id: "evt_2" })))
    yield* same("the events", idsOf(yield* ask(store, events)), ["evt_1", "evt_2"])
  }
)

const inOrder = law(
  "outbox/oldest-first-after-a-position",
  "Events are listed by id after a given event, up to the requested number.",
  function* (store) {
    yield* Effect.forEach([3, 1, 5, 2, 4], (n) => commit(store, insert.event(sample.event({ id: `evt_${n}` }))))
    const page = (after: string | null, limit: number) => Effect.map(ask(store, { ...events, after, limit }), idsOf)
    yield* same("the first two events", yield* page(null, 2), ["evt_1", "evt_2"])
    yield* same("the events after the given event", yield* page("evt_2", 2), ["evt_3", "evt_4"])
    yield* same("the rest", yield* page("evt_4", 9), ["evt_5"])
    yield* same("after an event that was deleted", yield* page("evt_31", 9), ["evt_4", "evt_5"])
  }
)

const ofDelivery = law(
  "outbox/events-of-a-delivery",
  "The events about a delivery of the project are listed by id, each with all of its event deliveries.",
  function* (store) {
    const about = (n: number, deliveryId: `del_${string}`, project = projectId) => {
      const one = sample.event({ id: numbered("evt", n), projectId: project })
      return { ...one, data: { ...one.data, deliveryId } } as EventRecord
    }
    const to = (n: number, event: number, subscriber: string) =>
      sample.eventDelivery({ id: numbered("evd", n), eventId: numbered("evt", event), subscriber })
    const [first, second] = [about(1, "del_1"), about(3, "del_1")]
    const [toFirst, toSecond, toFirstAgain] = [to(1, 1, "whk_1"), to(2, 3, "whk_1"), to(3, 1, "whk_2")]
    /** Events in the order of the characters of their ids, each with its event deliveries. Two ids differ only in case. */
    const byCharacters = (["evt_B", "evt_a", "evt_b"] as const).map((id) => ({
      event: { ...about(1, "del_1"), id },
      eventDeliveries: (["B", "a"] as const).map((letter) =>
        sample.eventDelivery({ id: `evd_${letter}_of_${id}`, eventId: id })
      )
    }))
    yield* commit(store, ...[second, about(2, "del_2"), first, about(4, "del_1", otherId)].map(insert.event))
    yield* commit(store, ...[toFirstAgain, to(4, 2, "whk_1"), toSecond, toFirst].map(insert.eventDelivery))
    for (const { event, eventDeliveries } of byCharacters.toReversed())
      yield* commit(store, insert.event(event), ...eventDeliveries.toReversed().map(insert.eventDelivery))
    yield* same(
      "the events about one delivery",
      yield* ask(store, { _tag: "EventsOfDelivery", projectId, deliveryId: "del_1" }),
      [
        { event: first, eventDeliveries: [toFirst, toFirstAgain] },
        { event: second, eventDeliveries: [toSecond] },
        ...byCharacters
      ]
    )
  }
)

export const outboxLaws: ReadonlyArray<StoreLaw> = [withItsCommit, inOrder, ofDelivery]
