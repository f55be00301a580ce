/**
 * Laws of the outbox and of sweeping: an event stands with its commit, in order, until it is swept.
 */
import { Effect } from "effect"
import { fateOf, same } from "../expectation.ts"
import { claim } from "./claims.ts"
import { ask, commit, delivery, event, idsOf, insert, noon, projectId, put, remembered, setting } from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLaw } from "./StoreSubject.ts"

const why = "decisions/0016-events.md"

const events = { _tag: "Events", projectId, after: null, limit: 100 } as const

const withItsCommit = storeLaw(
  "outbox/event-stands-with-its-commit",
  { says: "An event is there if and only if the commit that appended it was kept.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, put.setting("a"), insert.event(event({ id: "evt_1" })))
      yield* fateOf(commit(store, put.setting("a"), insert.event(event({ id: "evt_2" }))))
      yield* same("the events", idsOf(yield* ask(store, events)), ["evt_1"])
      yield* commit(store, put.setting("b"), insert.event(event({ id: "evt_2" })))
      yield* same("the events then", idsOf(yield* ask(store, events)), ["evt_1", "evt_2"])
    })
)

const inOrder = storeLaw(
  "outbox/oldest-first-after-a-place",
  { says: "Events come by id, after the one that was named, at most as many as asked for.", why },
  (store) =>
    Effect.gen(function* () {
      yield* Effect.forEach([3, 1, 5, 2, 4], (n) => commit(store, insert.event(event({ id: `evt_${n}` }))))
      const page = (after: string | null, limit: number) => Effect.map(ask(store, { ...events, after, limit }), idsOf)
      yield* same("the first two", yield* page(null, 2), ["evt_1", "evt_2"])
      yield* same("those after", yield* page("evt_2", 2), ["evt_3", "evt_4"])
      yield* same("the rest", yield* page("evt_4", 9), ["evt_5"])
      yield* same("after a place that is gone", yield* page("evt_31", 9), ["evt_4", "evt_5"])
    })
)

const sweptByAge = storeLaw(
  "sweep/events-by-age",
  { says: "A sweep deletes events from before an instant, oldest first, as many as it may, and says how many.", why },
  (store) =>
    Effect.gen(function* () {
      yield* Effect.forEach([5, 1, 3, 2, 4], (n) =>
        commit(store, insert.event(event({ id: `evt_${n}`, occurredAt: noon - n })))
      )
      const sweep = (limit: number) => store.sweep({ kind: "events", before: noon - 2, limit })
      yield* same("the first sweep", yield* sweep(2), 2)
      yield* same("what is left", idsOf(yield* ask(store, events)), ["evt_1", "evt_2", "evt_3"])
      yield* same("the second", yield* sweep(2), 1)
      yield* same("the third", yield* sweep(2), 0)
      yield* same("what stays", idsOf(yield* ask(store, events)), ["evt_1", "evt_2"])
    })
)

const sweptKeys = storeLaw(
  "sweep/expired-keys-only",
  { says: "A sweep deletes idempotency records that ended before an instant, oldest first, and no live one.", why },
  (store) =>
    Effect.gen(function* () {
      yield* Effect.forEach([4, 1, 3, 2], (n) =>
        commit(store, {
          _tag: "RecordIdempotency",
          record: remembered({ key: `k${n}`, expiresAt: noon + n }),
          now: noon
        })
      )
      const standing = Effect.forEach([1, 2, 3, 4], (n) =>
        Effect.map(ask(store, { _tag: "Idempotency", projectId, key: `k${n}` }), (one) => one !== null)
      )
      const sweep = (limit: number) => store.sweep({ kind: "idempotency", before: noon + 3, limit })
      yield* same("the first sweep", yield* sweep(1), 1)
      yield* same("who stands", yield* standing, [false, true, true, true])
      yield* same("the second", yield* sweep(9), 1)
      yield* same("who stands then", yield* standing, [false, false, true, true])
    })
)

const sweptLeases = storeLaw(
  "sweep/leases-of-idle-workers-only",
  {
    says: "A sweep deletes leases that ended before an instant, but of no worker that holds a delivery that waits.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, insert.delivery(delivery()))
      yield* claim(store, { worker: "holder", leaseUntil: noon + 1 })
      yield* commit(store, { _tag: "RenewLease", worker: "idle", leaseUntil: noon + 1 })
      yield* commit(store, { _tag: "RenewLease", worker: "later", leaseUntil: noon + 5 })
      const sweep = store.sweep({ kind: "leases", before: noon + 5, limit: 9 })
      yield* same("how many", yield* sweep, 1)
      yield* same("how many again", yield* sweep, 0)
      const next = (worker: string) => ask(store, { _tag: "NextDue", worker, now: noon })
      yield* same("the next end of a lease", yield* next("other"), noon + 1)
      yield* same("the next but the holder's", yield* next("holder"), noon + 5)
    })
)

const sweepsNothingElse = storeLaw(
  "sweep/touches-its-kind-alone",
  { says: "A sweep deletes nothing of another kind, and no setting, message or delivery at all.", why },
  (store) =>
    Effect.gen(function* () {
      const record = remembered({ expiresAt: noon + 1 })
      yield* commit(store, put.setting("a"), insert.delivery(delivery()))
      yield* commit(store, { _tag: "RecordIdempotency", record, now: noon }, insert.event(event()))
      const later = { before: noon + 10, limit: 100 }
      yield* store.sweep({ kind: "leases", ...later })
      yield* store.sweep({ kind: "events", ...later })
      yield* same("the key", yield* ask(store, { _tag: "Idempotency", projectId, key: "k" }), record)
      yield* same("the events", yield* ask(store, events), [])
      yield* store.sweep({ kind: "idempotency", ...later })
      yield* same("the setting", yield* setting(store, "a"), "1")
      yield* same("the delivery", yield* ask(store, { _tag: "Delivery", projectId, id: "del_1" }), delivery())
    })
)

export const outboxLaws: ReadonlyArray<StoreLaw> = [
  withItsCommit,
  inOrder,
  sweptByAge,
  sweptKeys,
  sweptLeases,
  sweepsNothingElse
]
