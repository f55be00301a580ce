/**
 * Laws of event deliveries: an event is distributed once, one worker claims each event delivery, and old ones are
 * deleted.
 */
import type { EventDelivery, MailStoreShape } from "@mailkeep/core/adapter"
import { eventDeliveryState } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { resultOf, resultsOf, same, tally } from "../expectation.ts"
import { ask } from "./queries.ts"
import { commit, commitResult, distributeEvent, endLease, insert, transition } from "./changes.ts"
import * as sample from "./sampleRecords.ts"
import { idsOf, noon, numbered, otherId, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0016-events.md")

const claim = (store: MailStoreShape, change: Partial<Parameters<MailStoreShape["claimEventDeliveries"]>[0]> = {}) =>
  store.claimEventDeliveries({
    subscriber: "whk_1",
    now: noon,
    limit: 100,
    worker: "w",
    leaseUntil: noon + 1000,
    ...change
  })

const put = (store: MailStoreShape, ...eventDeliveries: ReadonlyArray<EventDelivery>) =>
  commit(store, ...eventDeliveries.map(insert.eventDelivery))

const distributedOnce = law(
  "outbox/distributed-once",
  "An event is undistributed until it is distributed, which happens once. Undistributed events are listed by id.",
  function* (store) {
    yield* commit(
      store,
      insert.event(sample.event({ id: "evt_2", projectId: otherId })),
      insert.event(sample.event({ id: "evt_1" })),
      insert.event(sample.event({ id: "evt_3" }))
    )
    const waiting = (limit: number) => Effect.map(ask(store, { _tag: "UndistributedEvents", limit }), idsOf)
    yield* same("the first", yield* waiting(2), ["evt_1", "evt_2"])
    const distribute = (id: `evt_${string}`, project: string) => commitResult(store, distributeEvent(id, project))
    yield* same("the first distribution", yield* distribute("evt_2", otherId), "applied")
    yield* same("the same event again", yield* distribute("evt_2", otherId), "Stale")
    yield* same("none", yield* distribute("evt_9", projectId), "NotFound")
    yield* same("the events that are left", yield* waiting(9), ["evt_1", "evt_3"])
    yield* same(
      "one event, by id",
      yield* ask(store, { _tag: "Event", projectId, id: "evt_1" }),
      sample.event({ id: "evt_1" })
    )
    const results = yield* resultsOf(Array.from({ length: 20 }, () => commit(store, distributeEvent("evt_1"))))
    yield* same("of many concurrent distributions", tally(results), { applied: 1, Stale: 19 })
  }
)

const takesDue = law(
  "events/takes-what-is-due",
  "A claim takes the pending event deliveries of one subscriber that have been due longest, and writes worker and fencing token.",
  function* (store) {
    const due = [
      sample.eventDelivery({ id: "evd_3", dueAt: noon - 2 }),
      sample.eventDelivery({ id: "evd_2" }),
      sample.eventDelivery({ id: "evd_1", dueAt: noon })
    ]
    yield* put(
      store,
      ...due,
      sample.eventDelivery({ id: "evd_4", dueAt: noon + 1 }),
      sample.eventDelivery({ id: "evd_5", subscriber: "whk_2" }),
      sample.eventDelivery({ id: "evd_6", status: "delivered", dueAt: null, endedAt: noon })
    )
    const taken = due.map((one) => ({ ...one, worker: "w", fencingToken: 1 }))
    yield* same("the claimed event deliveries", yield* claim(store), taken)
    yield* same(
      "one claimed event delivery",
      yield* ask(store, { _tag: "EventDelivery", projectId, id: "evd_1" }),
      taken[2]
    )
    yield* commit(store, endLease("w"))
    yield* same(
      "the event deliveries that the same worker claims again after its lease",
      yield* claim(store),
      taken.map((one) => ({ ...one, fencingToken: 2 }))
    )
  }
)

const noMore = law(
  "events/no-more-than-asked",
  "A claim takes at most the requested number of event deliveries, and the next claim takes the others.",
  function* (store) {
    yield* put(store, ...[1, 2, 3, 4, 5].map((n) => sample.eventDelivery({ id: numbered("evd", n) })))
    for (const found of [[1, 2], [3, 4], [5], []])
      yield* same(
        "the next two event deliveries",
        idsOf(yield* claim(store, { limit: 2 })),
        found.map((n) => numbered("evd", n))
      )
  }
)

const oneClaimant = law(
  "events/one-claimant-each",
  "Of many workers that claim event deliveries concurrently, exactly one gets each event delivery.",
  function* (store) {
    const ids = Array.from({ length: 60 }, (_, n) => numbered("evd", n))
    yield* put(store, ...ids.map((id) => sample.eventDelivery({ id })))
    const taken = yield* Effect.forEach(
      Array.from({ length: 10 }, (_, n) => n),
      (n) => claim(store, { worker: `w${n}`, limit: 10 }),
      { concurrency: "unbounded" }
    )
    yield* same("the claimed event deliveries", taken.flatMap(idsOf).toSorted(), ids)
  }
)

const leased = law(
  "events/held-while-the-lease-lives",
  "Until the lease of its worker ends, only that worker can claim an event delivery. Then any worker can.",
  function* (store) {
    yield* put(store, sample.eventDelivery())
    yield* claim(store, { worker: "a", leaseUntil: noon + 10 })
    const next = (now: number) => Effect.map(claim(store, { worker: "b", now, leaseUntil: now + 10 }), idsOf)
    const pending = (now: number) => ask(store, { _tag: "PendingEventDeliveries", now })
    yield* same("during the lease", yield* next(noon + 9), [])
    yield* same("the pending event deliveries during the lease", yield* pending(noon + 9), [])
    yield* same("the pending event deliveries at the end of the lease", yield* pending(noon + 10), [
      { subscriber: "whk_1", dueAt: noon - 1 }
    ])
    yield* same("at the end of the lease", yield* next(noon + 10), ["evd_1"])
    yield* commit(store, endLease("b"))
    yield* same("given back", yield* next(noon + 11), ["evd_1"])
  }
)

const fenced = law(
  "events/moves-under-its-token",
  "An event delivery changes only from the status and with the fencing token that the change names.",
  function* (store) {
    const inserted = sample.eventDelivery({ fencingToken: 7 })
    const next = {
      ...eventDeliveryState(inserted),
      status: "delivered",
      dueAt: null,
      endedAt: noon,
      fencingToken: 8
    } as const
    const moveResult = (id: "evd_1" | "evd_9", from: "pending" | "failed", fencingToken: number) =>
      commitResult(store, transition.eventDelivery(id, from, fencingToken, next))
    yield* put(store, inserted)
    yield* same("the same event delivery again", yield* resultOf(put(store, inserted)), "AlreadyExists")
    yield* same("a change of no event delivery", yield* moveResult("evd_9", "pending", 7), "NotFound")
    yield* same("with an older fencing token", yield* moveResult("evd_1", "pending", 6), "Stale")
    yield* same("from another status", yield* moveResult("evd_1", "failed", 7), "Stale")
    yield* same("the change with the current values", yield* moveResult("evd_1", "pending", 7), "applied")
    yield* same("the event delivery", yield* ask(store, { _tag: "EventDelivery", projectId, id: "evd_1" }), {
      ...inserted,
      ...next
    })
  }
)

const listed = law(
  "events/listed-newest-first",
  "The event deliveries of a subscriber are listed newest first after a position. The pending ones are listed by subscriber with their first due time.",
  function* (store) {
    yield* put(
      store,
      ...[1, 2, 3, 4].map((n) =>
        sample.eventDelivery({ id: numbered("evd", n), createdAt: noon + Math.floor(n / 2), dueAt: noon + 10 - n })
      ),
      sample.eventDelivery({ id: "evd_9", subscriber: "whk_2", dueAt: noon + 50 }),
      sample.eventDelivery({ id: "evd_8", subscriber: "whk_3", status: "failed", dueAt: null, endedAt: noon })
    )
    const page = (after: { readonly createdAt: number; readonly id: string } | null) =>
      Effect.map(ask(store, { _tag: "EventDeliveryPage", projectId, subscriber: "whk_1", after, limit: 3 }), idsOf)
    yield* same(
      "the first page",
      yield* page(null),
      [4, 3, 2].map((n) => numbered("evd", n))
    )
    yield* same("the next", yield* page({ createdAt: noon + 1, id: numbered("evd", 2) }), [numbered("evd", 1)])
    yield* same("the pending event deliveries", yield* ask(store, { _tag: "PendingEventDeliveries", now: noon }), [
      { subscriber: "whk_1", dueAt: noon + 6 },
      { subscriber: "whk_2", dueAt: noon + 50 }
    ])
  }
)

const swept = law(
  "sweep/ended-event-deliveries-by-age",
  "A sweep deletes event deliveries that ended before the instant, oldest first, and never a pending one.",
  function* (store) {
    const ended = (n: number, endedAt: number) =>
      sample.eventDelivery({ id: numbered("evd", n), status: "failed", dueAt: null, endedAt })
    yield* put(
      store,
      ended(1, noon + 1),
      ended(2, noon),
      ended(3, noon + 2),
      sample.eventDelivery({ id: "evd_9", dueAt: 1 })
    )
    const sweep = (limit: number) => store.sweep({ kind: "eventDeliveries", before: noon + 2, limit })
    const left = ask(store, { _tag: "EventDeliveryPage", projectId, subscriber: "whk_1", after: null, limit: 9 })
    yield* same("the number of the first sweep", yield* sweep(1), 1)
    yield* same("the event deliveries that are left", idsOf(yield* left).toSorted(), ["evd_0001", "evd_0003", "evd_9"])
    yield* same("the others", yield* sweep(9), 1)
    yield* same("at last", idsOf(yield* left).toSorted(), ["evd_0003", "evd_9"])
    yield* claim(store, { now: noon, leaseUntil: noon + 1 })
    yield* same(
      "the lease of a worker with a claimed event delivery",
      yield* store.sweep({ kind: "leases", before: noon + 9, limit: 9 }),
      0
    )
  }
)

export const eventDeliveryLaws: ReadonlyArray<StoreLaw> = [
  distributedOnce,
  takesDue,
  noMore,
  oneClaimant,
  leased,
  fenced,
  listed,
  swept
]
