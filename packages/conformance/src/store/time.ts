/**
 * Laws of time: a store knows only the instants it is given.
 */
import { dayMillis } from "@mailkeep/core/domain"
import type { MailStoreShape } from "@mailkeep/core/port"
import { Effect } from "effect"
import { fateOf, same } from "../expectation.ts"
import { claim, leaseMillis } from "./claims.ts"
import { ask, commit, delivery, event, insert, noon, remembered } from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLaw } from "./StoreSubject.ts"

const why = "decisions/0001-core-decides.md"

/** The same story at another time: claimed when due, recorded while free, swept when old. */
const story = (store: MailStoreShape, year: number) =>
  Effect.gen(function* () {
    const now = Date.UTC(year, 0, 1)
    const due = delivery({ dueAt: now, createdAt: now })
    yield* commit(store, insert.delivery(due), insert.delivery(delivery({ id: "del_2", dueAt: now + 1 })))
    const taken = yield* claim(store, { now, leaseUntil: now + leaseMillis })
    yield* same(
      `what is due in ${year}`,
      taken.map(({ id }) => id),
      ["del_1"]
    )
    const held = claim(store, { now: now + 1, worker: "w2", leaseUntil: now + 2 })
    yield* same(
      `what is held in ${year}`,
      (yield* held).map(({ id }) => id),
      ["del_2"]
    )
    const record = (at: number) =>
      ({ _tag: "RecordIdempotency", record: remembered({ expiresAt: now + 10 }), now: at }) as const
    yield* commit(store, record(now))
    yield* same(`a live key in ${year}`, yield* fateOf(commit(store, record(now + 9))), "AlreadyExists")
    yield* same(`an ended key in ${year}`, yield* fateOf(commit(store, record(now + 10))), "applied")
    yield* commit(store, insert.event(event({ occurredAt: now })))
    yield* same(`a sweep of ${year}`, yield* store.sweep({ kind: "events", before: now, limit: 9 }), 0)
    yield* same(`a later one`, yield* store.sweep({ kind: "events", before: now + 1, limit: 9 }), 1)
  })

const only = (year: number) =>
  storeLaw(
    `time/only-what-is-given-${year}`,
    { says: `What is due, live or old is so by the instants given, in ${year} as at any time.`, why },
    (store) => story(store, year)
  )

const nextDue = storeLaw(
  "time/next-due",
  {
    says: "The next due time is the earliest of an unclaimed delivery, or the end after now of another worker's lease.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const next = (worker: string, now = noon) => ask(store, { _tag: "NextDue", worker, now })
      yield* same("of nothing", yield* next("w1"), null)
      yield* commit(store, insert.delivery(delivery({ status: "scheduled", dueAt: noon + dayMillis })))
      yield* same("of one scheduled", yield* next("w1"), noon + dayMillis)
      yield* commit(store, insert.delivery(delivery({ id: "del_2", dueAt: noon - 5 })))
      yield* same("of one overdue", yield* next("w1"), noon - 5)
      yield* claim(store, { worker: "w1" })
      yield* same("for the worker that took it", yield* next("w1"), noon + dayMillis)
      yield* same("for another", yield* next("w2"), noon + leaseMillis)
      yield* same("for another once the lease is over", yield* next("w2", noon + leaseMillis), noon + dayMillis)
    })
)

const backlog = storeLaw(
  "time/backlog",
  {
    says: "The backlog counts what waits by status, and tells since when the oldest scheduled or queued one has been due.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const now = noon
      yield* same("of nothing", yield* ask(store, { _tag: "Backlog", now }), {
        scheduled: 0,
        queued: 0,
        sending: 0,
        oldestDueAt: null
      })
      yield* Effect.forEach(
        [
          delivery({ id: "del_1", status: "scheduled", dueAt: now + 9 }),
          delivery({ id: "del_2", dueAt: now - 3 }),
          delivery({ id: "del_3", dueAt: now + 1 }),
          delivery({ id: "del_4", status: "sending", dueAt: now - 99 }),
          delivery({ id: "del_5", status: "delivered", dueAt: null })
        ],
        (one) => commit(store, insert.delivery(one))
      )
      const counts = { scheduled: 1, queued: 2, sending: 1 }
      yield* same("now", yield* ask(store, { _tag: "Backlog", now }), { ...counts, oldestDueAt: now - 3 })
      yield* same("before", yield* ask(store, { _tag: "Backlog", now: now - 4 }), { ...counts, oldestDueAt: null })
    })
)

export const timeLaws: ReadonlyArray<StoreLaw> = [only(1999), only(2099), nextDue, backlog]
