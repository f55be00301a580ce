/**
 * Laws of the outbox and of sweeps: an event exists with its commit, in order, until a sweep deletes it.
 */
import { Effect } from "effect"
import { resultOf, same } from "../expectation.ts"
import { claim } from "./claims.ts"
import {
  ask,
  commit,
  delivery,
  event,
  idsOf,
  insert,
  noon,
  projectId,
  put,
  idempotencyRecord,
  setting
} from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLaw } from "./StoreSubject.ts"

const why = "decisions/0016-events.md"

const events = { _tag: "Events", projectId, after: null, limit: 100 } as const

const withItsCommit = storeLaw(
  "outbox/event-exists-with-its-commit",
  { statement: "An event exists if and only if the commit that appended it was kept.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, put.setting("a"), insert.event(event({ id: "evt_1" })))
      yield* resultOf(commit(store, put.setting("a"), insert.event(event({ id: "evt_2" }))))
      yield* same("the events", idsOf(yield* ask(store, events)), ["evt_1"])
      yield* commit(store, put.setting("b"), insert.event(event({ id: "evt_2" })))
      yield* same("the events", idsOf(yield* ask(store, events)), ["evt_1", "evt_2"])
    })
)

const inOrder = storeLaw(
  "outbox/oldest-first-after-a-position",
  { statement: "Events are listed by id after a given event, up to the requested number.", why },
  (store) =>
    Effect.gen(function* () {
      yield* Effect.forEach([3, 1, 5, 2, 4], (n) => commit(store, insert.event(event({ id: `evt_${n}` }))))
      const page = (after: string | null, limit: number) => Effect.map(ask(store, { ...events, after, limit }), idsOf)
      yield* same("the first two events", yield* page(null, 2), ["evt_1", "evt_2"])
      yield* same("the events after the given event", yield* page("evt_2", 2), ["evt_3", "evt_4"])
      yield* same("the rest", yield* page("evt_4", 9), ["evt_5"])
      yield* same("after an event that was deleted", yield* page("evt_31", 9), ["evt_4", "evt_5"])
    })
)

const sweptByAge = storeLaw(
  "sweep/events-by-age",
  {
    statement: "A sweep deletes events from before an instant, oldest first, up to its limit, and returns the number.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      yield* Effect.forEach([5, 1, 3, 2, 4], (n) =>
        commit(store, insert.event(event({ id: `evt_${n}`, occurredAt: noon - n })))
      )
      const sweep = (limit: number) => store.sweep({ kind: "events", before: noon - 2, limit })
      yield* same("the first sweep", yield* sweep(2), 2)
      yield* same("the events that are left", idsOf(yield* ask(store, events)), ["evt_1", "evt_2", "evt_3"])
      yield* same("the second", yield* sweep(2), 1)
      yield* same("the third", yield* sweep(2), 0)
      yield* same("the remaining events", idsOf(yield* ask(store, events)), ["evt_1", "evt_2"])
    })
)

const sweptKeys = storeLaw(
  "sweep/expired-keys-only",
  {
    statement: "A sweep deletes idempotency records that ended before an instant, oldest first, and no live record.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      yield* Effect.forEach([4, 1, 3, 2], (n) =>
        commit(store, {
          _tag: "RecordIdempotency",
          record: idempotencyRecord({ key: `k${n}`, expiresAt: noon + n }),
          now: noon
        })
      )
      const existing = Effect.forEach([1, 2, 3, 4], (n) =>
        Effect.map(ask(store, { _tag: "Idempotency", projectId, key: `k${n}` }), (one) => one !== null)
      )
      const sweep = (limit: number) => store.sweep({ kind: "idempotency", before: noon + 3, limit })
      yield* same("the first sweep", yield* sweep(1), 1)
      yield* same("the idempotency records after the first sweep", yield* existing, [false, true, true, true])
      yield* same("the second", yield* sweep(9), 1)
      yield* same("the idempotency records that are left", yield* existing, [false, false, true, true])
    })
)

const sweptLeases = storeLaw(
  "sweep/leases-of-idle-workers-only",
  {
    statement:
      "A sweep deletes leases that ended before an instant, except the lease of a worker with a waiting delivery.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, insert.delivery(delivery()))
      yield* claim(store, { worker: "holder", leaseUntil: noon + 1 })
      yield* commit(store, { _tag: "RenewLease", worker: "idle", leaseUntil: noon + 1 })
      yield* commit(store, { _tag: "RenewLease", worker: "later", leaseUntil: noon + 5 })
      const sweep = store.sweep({ kind: "leases", before: noon + 5, limit: 9 })
      yield* same("the number of the first sweep", yield* sweep, 1)
      yield* same("the number of the second sweep", yield* sweep, 0)
      const next = (worker: string) => ask(store, { _tag: "NextDue", worker, now: noon })
      yield* same("the next end of a lease", yield* next("other"), noon + 1)
      yield* same("the next end of a lease besides the claiming worker's", yield* next("holder"), noon + 5)
    })
)

const sweepsNothingElse = storeLaw(
  "sweep/touches-its-kind-alone",
  { statement: "A sweep deletes no record of another kind, and never a setting, a message or a delivery.", why },
  (store) =>
    Effect.gen(function* () {
      const record = idempotencyRecord({ expiresAt: noon + 1 })
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
