/**
 * Laws of event deliveries: an event is distributed once, one worker claims each event delivery, and old ones are
 * deleted.
 */
import type { EventDelivery } from "@mailkeep/core/adapter"
import { eventDeliveryState } from "@mailkeep/core/adapter"
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { resultOf, resultsOf, same, tally } from "../expectation.ts"
import { ask, commit, event, idsOf, insert, noon, numbered, otherId, projectId, eventDelivery } from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLaw } from "./StoreSubject.ts"

const why = "decisions/0016-events.md"

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

const distributedOnce = storeLaw(
  "outbox/distributed-once",
  {
    statement:
      "An event is undistributed until it is distributed, which happens once. Undistributed events are listed by id.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      yield* commit(
        store,
        insert.event(event({ id: "evt_2", projectId: otherId })),
        insert.event(event({ id: "evt_1" })),
        insert.event(event({ id: "evt_3" }))
      )
      const waiting = (limit: number) => Effect.map(ask(store, { _tag: "UndistributedEvents", limit }), idsOf)
      yield* same("the first", yield* waiting(2), ["evt_1", "evt_2"])
      const distribute = (id: `evt_${string}`) => resultOf(commit(store, { _tag: "DistributeEvent", id }))
      yield* same("the first distribution", yield* distribute("evt_2"), "applied")
      yield* same("the same event again", yield* distribute("evt_2"), "Stale")
      yield* same("none", yield* distribute("evt_9"), "NotFound")
      yield* same("the events that are left", yield* waiting(9), ["evt_1", "evt_3"])
      yield* same("one event, by id", yield* ask(store, { _tag: "Event", id: "evt_1" }), event({ id: "evt_1" }))
      const results = yield* resultsOf(
        Array.from({ length: 20 }, () => commit(store, { _tag: "DistributeEvent", id: "evt_1" }))
      )
      yield* same("of many concurrent distributions", tally(results), { applied: 1, Stale: 19 })
    })
)

const takesDue = storeLaw(
  "events/takes-what-is-due",
  {
    statement:
      "A claim takes the pending event deliveries of one subscriber that have been due longest, and writes worker and fencing token.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const due = [
        eventDelivery({ id: "evd_3", dueAt: noon - 2 }),
        eventDelivery({ id: "evd_2" }),
        eventDelivery({ id: "evd_1", dueAt: noon })
      ]
      yield* put(
        store,
        ...due,
        eventDelivery({ id: "evd_4", dueAt: noon + 1 }),
        eventDelivery({ id: "evd_5", subscriber: "whk_2" }),
        eventDelivery({ id: "evd_6", status: "delivered", dueAt: null, settledAt: noon })
      )
      const taken = due.map((one) => ({ ...one, worker: "w", fencingToken: 1 }))
      yield* same("the claimed event deliveries", yield* claim(store), taken)
      yield* same(
        "one claimed event delivery",
        yield* ask(store, { _tag: "EventDelivery", projectId, id: "evd_1" }),
        taken[2]
      )
    })
)

const noMore = storeLaw(
  "events/no-more-than-asked",
  {
    statement: "A claim takes at most the requested number of event deliveries, and the next claim takes the others.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      yield* put(store, ...[1, 2, 3, 4, 5].map((n) => eventDelivery({ id: numbered("evd", n) })))
      for (const found of [[1, 2], [3, 4], [5], []])
        yield* same(
          "the next two event deliveries",
          idsOf(yield* claim(store, { limit: 2 })),
          found.map((n) => numbered("evd", n))
        )
    })
)

const oneClaimant = storeLaw(
  "events/one-claimant-each",
  { statement: "Of many workers that claim event deliveries concurrently, exactly one gets each event delivery.", why },
  (store) =>
    Effect.gen(function* () {
      const ids = Array.from({ length: 60 }, (_, n) => numbered("evd", n))
      yield* put(store, ...ids.map((id) => eventDelivery({ id })))
      const taken = yield* Effect.forEach(
        Array.from({ length: 10 }, (_, n) => n),
        (n) => claim(store, { worker: `w${n}`, limit: 10 }),
        { concurrency: "unbounded" }
      )
      yield* same("the claimed event deliveries", taken.flatMap(idsOf).toSorted(), ids)
    })
)

const leased = storeLaw(
  "events/held-while-the-lease-lives",
  {
    statement: "Until the lease of its worker ends, only that worker can claim an event delivery. Then any worker can.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      yield* put(store, eventDelivery())
      yield* claim(store, { worker: "a", leaseUntil: noon + 10 })
      const next = (now: number) => Effect.map(claim(store, { worker: "b", now, leaseUntil: now + 10 }), idsOf)
      const pending = (now: number) => ask(store, { _tag: "PendingEventDeliveries", now })
      yield* same("during the lease", yield* next(noon + 9), [])
      yield* same("the pending event deliveries during the lease", yield* pending(noon + 9), [])
      yield* same("the pending event deliveries at the end of the lease", yield* pending(noon + 10), [
        { subscriber: "whk_1", dueAt: noon - 1 }
      ])
      yield* same("at the end of the lease", yield* next(noon + 10), ["evd_1"])
      yield* commit(store, { _tag: "EndLease", worker: "b" })
      yield* same("given back", yield* next(noon + 11), ["evd_1"])
    })
)

const fenced = storeLaw(
  "events/moves-under-its-token",
  {
    statement: "An event delivery changes only from the status and with the fencing token that the change names.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const inserted = eventDelivery({ fencingToken: 7 })
      const next = {
        ...eventDeliveryState(inserted),
        status: "delivered",
        dueAt: null,
        settledAt: noon,
        fencingToken: 8
      } as const
      const move = (id: "evd_1" | "evd_9", from: "pending" | "failed", fencingToken: number) =>
        resultOf(commit(store, { _tag: "MoveEventDelivery", id, from, fencingToken, next }))
      yield* put(store, inserted)
      yield* same("the same event delivery again", yield* resultOf(put(store, inserted)), "AlreadyExists")
      yield* same("a change of no event delivery", yield* move("evd_9", "pending", 7), "NotFound")
      yield* same("with an older fencing token", yield* move("evd_1", "pending", 6), "Stale")
      yield* same("from another status", yield* move("evd_1", "failed", 7), "Stale")
      yield* same("the change with the current values", yield* move("evd_1", "pending", 7), "applied")
      yield* same("the event delivery", yield* ask(store, { _tag: "EventDelivery", projectId, id: "evd_1" }), {
        ...inserted,
        ...next
      })
    })
)

const listed = storeLaw(
  "events/listed-newest-first",
  {
    statement:
      "The event deliveries of a subscriber are listed newest first after a position. The pending ones are listed by subscriber with their first due time.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      yield* put(
        store,
        ...[1, 2, 3, 4].map((n) =>
          eventDelivery({ id: numbered("evd", n), createdAt: noon + Math.floor(n / 2), dueAt: noon + 10 - n })
        ),
        eventDelivery({ id: "evd_9", subscriber: "whk_2", dueAt: noon + 50 }),
        eventDelivery({ id: "evd_8", subscriber: "whk_3", status: "failed", dueAt: null, settledAt: noon })
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
    })
)

const swept = storeLaw(
  "sweep/settled-event-deliveries-by-age",
  {
    statement:
      "A sweep deletes event deliveries that were settled before the instant, oldest first, and never a pending one.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const settled = (n: number, settledAt: number) =>
        eventDelivery({ id: numbered("evd", n), status: "failed", dueAt: null, settledAt })
      yield* put(
        store,
        settled(1, noon + 1),
        settled(2, noon),
        settled(3, noon + 2),
        eventDelivery({ id: "evd_9", dueAt: 1 })
      )
      const sweep = (limit: number) => store.sweep({ kind: "eventDeliveries", before: noon + 2, limit })
      const left = ask(store, { _tag: "EventDeliveryPage", projectId, subscriber: "whk_1", after: null, limit: 9 })
      yield* same("the number of the first sweep", yield* sweep(1), 1)
      yield* same("the event deliveries that are left", idsOf(yield* left).toSorted(), [
        "evd_0001",
        "evd_0003",
        "evd_9"
      ])
      yield* same("the others", yield* sweep(9), 1)
      yield* same("at last", idsOf(yield* left).toSorted(), ["evd_0003", "evd_9"])
      yield* claim(store, { now: noon, leaseUntil: noon + 1 })
      yield* same(
        "the lease of a worker with a claimed event delivery",
        yield* store.sweep({ kind: "leases", before: noon + 9, limit: 9 }),
        0
      )
    })
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
