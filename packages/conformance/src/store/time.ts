/**
 * Laws of time: a store uses only the instants that its arguments contain.
 */
import { dayMillis } from "@mailkeep/core/adapter"
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import { claim, leaseMillis } from "./claims.ts"
import { ask } from "./queries.ts"
import { commit, commitResult, insert, put } from "./changes.ts"
import * as sample from "./sampleRecords.ts"
import { noon } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0001-core-decides.md")

/** Runs the same script at another time: a claim when due, an idempotency record when free, a sweep when old. */
const story = (store: MailStoreShape, year: number) =>
  Effect.gen(function* () {
    const now = Date.UTC(year, 0, 1)
    const due = sample.delivery({ dueAt: now, createdAt: now })
    yield* commit(store, insert.delivery(due), insert.delivery(sample.delivery({ id: "del_2", dueAt: now + 1 })))
    const taken = yield* claim(store, { now, leaseUntil: now + leaseMillis })
    yield* same(
      `the due deliveries in ${year}`,
      taken.map(({ id }) => id),
      ["del_1"]
    )
    const claimed = claim(store, { now: now + 1, worker: "w2", leaseUntil: now + 2 })
    yield* same(
      `the claimed deliveries in ${year}`,
      (yield* claimed).map(({ id }) => id),
      ["del_2"]
    )
    const record = (at: number) => put.idempotency(sample.idempotencyRecord({ expiresAt: now + 10 }), at)
    yield* commit(store, record(now))
    yield* same(`a live idempotency record in ${year}`, yield* commitResult(store, record(now + 9)), "AlreadyExists")
    yield* same(`an ended idempotency record in ${year}`, yield* commitResult(store, record(now + 10)), "applied")
    yield* commit(store, insert.event(sample.event({ occurredAt: now })))
    yield* same(`a sweep of ${year}`, yield* store.sweep({ kind: "events", before: now, limit: 9 }), 0)
    yield* same("a later sweep", yield* store.sweep({ kind: "events", before: now + 1, limit: 9 }), 1)
  })

const only = (year: number) =>
  law(
    `time/only-what-is-given-${year}`,
    `Whether a delivery is due, a record live or an event old depends only on the given instants, as in the year ${year}.`,
    function* (store) {
      yield* story(store, year)
    }
  )

const nextDue = law(
  "time/next-due",
  "The next due time is the earliest due time of an unclaimed delivery, or the end after now of another worker's lease.",
  function* (store) {
    const next = (worker: string, now = noon) => ask(store, { _tag: "NextDue", worker, now })
    yield* same("of nothing", yield* next("w1"), null)
    yield* commit(store, insert.delivery(sample.delivery({ status: "scheduled", dueAt: noon + dayMillis })))
    yield* same("of a scheduled delivery", yield* next("w1"), noon + dayMillis)
    yield* commit(store, insert.delivery(sample.delivery({ id: "del_2", dueAt: noon - 5 })))
    yield* same("of an overdue delivery", yield* next("w1"), noon - 5)
    yield* claim(store, { worker: "w1" })
    yield* same("for the worker that claimed the delivery", yield* next("w1"), noon + dayMillis)
    yield* same("for another", yield* next("w2"), noon + leaseMillis)
    yield* same("for another worker after the lease ended", yield* next("w2", noon + leaseMillis), noon + dayMillis)
  }
)

const backlog = law(
  "time/backlog",
  "The backlog counts the waiting deliveries by status, and shows when the oldest scheduled or queued delivery became due.",
  function* (store) {
    const now = noon
    yield* same("of nothing", yield* ask(store, { _tag: "Backlog", now }), {
      scheduled: 0,
      queued: 0,
      sending: 0,
      oldestDueAt: null
    })
    yield* Effect.forEach(
      [
        sample.delivery({ id: "del_1", status: "scheduled", dueAt: now + 9 }),
        sample.delivery({ id: "del_2", dueAt: now - 3 }),
        sample.delivery({ id: "del_3", dueAt: now + 1 }),
        sample.delivery({ id: "del_4", status: "sending", dueAt: now - 99 }),
        sample.delivery({ id: "del_5", status: "delivered", dueAt: null })
      ],
      (one) => commit(store, insert.delivery(one))
    )
    const counts = { scheduled: 1, queued: 2, sending: 1 }
    yield* same("now", yield* ask(store, { _tag: "Backlog", now }), { ...counts, oldestDueAt: now - 3 })
    yield* same("before", yield* ask(store, { _tag: "Backlog", now: now - 4 }), { ...counts, oldestDueAt: null })
  }
)

const workHealth = law(
  "time/work-health",
  "The health of the work counts what was due or lost its lease at the given instants, and all pending event deliveries.",
  function* (store) {
    const health = (dueBefore: number, leaseEndedBefore: number) =>
      ask(store, { _tag: "WorkHealth", dueBefore, leaseEndedBefore })
    yield* Effect.forEach(
      [
        sample.delivery({ id: "del_1", status: "scheduled", dueAt: noon - 3 }),
        sample.delivery({ id: "del_2", dueAt: noon - 2 }),
        sample.delivery({ id: "del_3", dueAt: noon + 1 }),
        sample.delivery({ id: "del_4", status: "sending", dueAt: noon - 99, worker: "w1" }),
        sample.delivery({ id: "del_5", status: "sending", dueAt: noon - 99, worker: "w2" }),
        sample.delivery({ id: "del_6", status: "delivered", dueAt: null })
      ],
      (one) => commit(store, insert.delivery(one))
    )
    yield* commit(store, { _tag: "RenewLease", worker: "w1", renewedAt: noon, leaseUntil: noon + 5 })
    yield* commit(store, insert.eventDelivery(sample.eventDelivery({ id: "evd_1", dueAt: noon + 9 })))
    yield* commit(store, insert.eventDelivery(sample.eventDelivery({ id: "evd_3", dueAt: noon - 9 })))
    const ended = { status: "delivered", dueAt: null, endedAt: noon } as const
    yield* commit(store, insert.eventDelivery(sample.eventDelivery({ id: "evd_2", ...ended })))
    yield* same("at once", yield* health(noon, noon), { late: 2, abandoned: 1, eventDeliveries: 2 })
    yield* same("of the oldest", yield* health(noon - 3, noon + 4), { late: 1, abandoned: 1, eventDeliveries: 2 })
    yield* same("after the lease", yield* health(noon - 4, noon + 5), { late: 0, abandoned: 2, eventDeliveries: 2 })
  }
)

export const timeLaws: ReadonlyArray<StoreLaw> = [only(1999), only(2099), nextDue, backlog, workHealth]
