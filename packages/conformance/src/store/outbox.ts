/**
 * Laws of the outbox and of sweeps: an event exists with its commit, in order, until a sweep deletes it.
 */
import type { EventRecord } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import { claim } from "./claims.ts"
import { ask, setting } from "./queries.ts"
import { commit, commitResult, insert, put, renewLease } from "./changes.ts"
import * as sample from "./sampleRecords.ts"
import { idsOf, noon, numbered, otherId, projectId } from "./sampleIds.ts"
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
    yield* commit(store, ...[second, about(2, "del_2"), first, about(4, "del_1", otherId)].map(insert.event))
    yield* commit(store, ...[toFirstAgain, to(4, 2, "whk_1"), toSecond, toFirst].map(insert.eventDelivery))
    yield* same(
      "the events about one delivery",
      yield* ask(store, { _tag: "EventsOfDelivery", projectId, deliveryId: "del_1" }),
      [
        { event: first, eventDeliveries: [toFirst, toFirstAgain] },
        { event: second, eventDeliveries: [toSecond] }
      ]
    )
  }
)

const sweptByAge = law(
  "sweep/events-by-age",
  "A sweep deletes events from before an instant, oldest first, up to its limit, and returns the number.",
  function* (store) {
    yield* Effect.forEach([5, 1, 3, 2, 4], (n) =>
      commit(store, insert.event(sample.event({ id: `evt_${n}`, occurredAt: noon - n })))
    )
    const sweep = (limit: number) => store.sweep({ kind: "events", before: noon - 2, limit })
    yield* same("the first sweep", yield* sweep(2), 2)
    yield* same("the events that are left", idsOf(yield* ask(store, events)), ["evt_1", "evt_2", "evt_3"])
    yield* same("the second", yield* sweep(2), 1)
    yield* same("the third", yield* sweep(2), 0)
    yield* same("the remaining events", idsOf(yield* ask(store, events)), ["evt_1", "evt_2"])
  }
)

const sweptKeys = law(
  "sweep/expired-keys-only",
  "A sweep deletes idempotency records that ended before an instant, oldest first, and no live record.",
  function* (store) {
    yield* Effect.forEach([4, 1, 3, 2], (n) =>
      commit(store, put.idempotency(sample.idempotencyRecord({ key: `k${n}`, expiresAt: noon + n })))
    )
    const existing = Effect.forEach([1, 2, 3, 4], (n) =>
      Effect.map(ask(store, { _tag: "Idempotency", projectId, key: `k${n}` }), (one) => one !== null)
    )
    const sweep = (limit: number) => store.sweep({ kind: "idempotency", before: noon + 3, limit })
    yield* same("the first sweep", yield* sweep(1), 1)
    yield* same("the idempotency records after the first sweep", yield* existing, [false, true, true, true])
    yield* same("the second", yield* sweep(9), 1)
    yield* same("the idempotency records that are left", yield* existing, [false, false, true, true])
  }
)

const sweptLeases = law(
  "sweep/leases-of-idle-workers-only",
  "A sweep deletes leases that ended before an instant, except the lease of a worker with a waiting delivery.",
  function* (store) {
    yield* commit(store, insert.delivery(sample.delivery()))
    yield* claim(store, { worker: "holder", leaseUntil: noon + 1 })
    yield* commit(store, renewLease("idle", noon + 1))
    yield* commit(store, renewLease("later", noon + 5))
    const sweep = store.sweep({ kind: "leases", before: noon + 5, limit: 9 })
    yield* same("the number of the first sweep", yield* sweep, 1)
    yield* same("the number of the second sweep", yield* sweep, 0)
    const next = (worker: string) => ask(store, { _tag: "NextDue", worker, now: noon })
    yield* same("the next end of a lease", yield* next("other"), noon + 1)
    yield* same("the next end of a lease besides the claiming worker's", yield* next("holder"), noon + 5)
  }
)

const sweepsNothingElse = law(
  "sweep/touches-its-kind-alone",
  "A sweep deletes no record of another kind, and never a setting, a message or a delivery.",
  function* (store) {
    const record = sample.idempotencyRecord({ expiresAt: noon + 1 })
    yield* commit(store, put.setting("a"), insert.delivery(sample.delivery()))
    yield* commit(store, put.idempotency(record), insert.event(sample.event()))
    const later = { before: noon + 10, limit: 100 }
    yield* store.sweep({ kind: "leases", ...later })
    yield* store.sweep({ kind: "events", ...later })
    yield* same("the key", yield* ask(store, { _tag: "Idempotency", projectId, key: "k" }), record)
    yield* same("the events", yield* ask(store, events), [])
    yield* store.sweep({ kind: "idempotency", ...later })
    yield* same("the setting", yield* setting(store, "a"), "1")
    yield* same("the delivery", yield* ask(store, { _tag: "Delivery", projectId, id: "del_1" }), sample.delivery())
  }
)

export const outboxLaws: ReadonlyArray<StoreLaw> = [
  withItsCommit,
  inOrder,
  ofDelivery,
  sweptByAge,
  sweptKeys,
  sweptLeases,
  sweepsNothingElse
]
