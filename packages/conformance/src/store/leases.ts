/**
 * Laws of leases: one lease protects everything that a worker has claimed, and a claim changes only the rows that it takes.
 */
import { wholeRotation } from "@mailkeep/core/adapter"
import type { Delivery, EventDelivery, MailStoreShape } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import { ask } from "./queries.ts"
import { commit, insert, renewLease } from "./changes.ts"
import * as sample from "./sampleRecords.ts"
import { idsOf, noon, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0006-hand-off.md")

const takeMail = (store: MailStoreShape, worker: string, now: number, leaseUntil: number, limit = 9) =>
  Effect.map(store.claim({ kind: "dueQueued", rotation: wholeRotation, now, limit, worker, leaseUntil }), idsOf)

const takeEvents = (store: MailStoreShape, worker: string, now: number, leaseUntil: number, subscriber = "whk_1") =>
  Effect.map(store.claimEventDeliveries({ subscriber, now, limit: 9, worker, leaseUntil }), idsOf)

const oneLease = law(
  "claim/one-lease-for-everything",
  "A worker has one lease for its deliveries and its event deliveries. The last claim or renewal sets its end, also to an earlier one.",
  function* (store) {
    const rows: ReadonlyArray<Delivery> = [
      sample.delivery({ id: "del_1" }),
      sample.delivery({ id: "del_2", dueAt: noon + 1 })
    ]
    yield* commit(store, ...rows.map(insert.delivery), insert.eventDelivery(sample.eventDelivery()))
    yield* same("the first claim", yield* takeMail(store, "a", noon, noon + 10), ["del_1"])
    yield* same("the claim of events", yield* takeEvents(store, "a", noon, noon + 30), ["evd_1"])
    yield* same("deliveries after the end that the first claim set", yield* takeMail(store, "b", noon + 10, noon), [
      "del_2"
    ])
    yield* same("deliveries before the end", yield* takeMail(store, "c", noon + 29, noon + 99), ["del_2"])
    yield* commit(store, renewLease("a", noon + 20))
    yield* same("events before the earlier end", yield* takeEvents(store, "d", noon + 19, noon + 99), [])
    yield* same("events at the earlier end", yield* takeEvents(store, "d", noon + 20, noon + 99), ["evd_1"])
    yield* same("deliveries at the earlier end", yield* takeMail(store, "d", noon + 20, noon + 99), ["del_1"])
  }
)

const othersUntouched = law(
  "claim/leaves-other-rows-unchanged",
  "A claim changes no row that it does not take: not due, another status or subscriber, or above its limit.",
  function* (store) {
    const rows: ReadonlyArray<Delivery> = [
      sample.delivery({ id: "del_1", fencingToken: 5 }),
      sample.delivery({ id: "del_2" }),
      sample.delivery({ id: "del_3", dueAt: noon + 1 }),
      sample.delivery({ id: "del_4", status: "sending" }),
      sample.delivery({ id: "del_5", status: "scheduled" }),
      sample.delivery({ id: "del_6", status: "delivered", dueAt: null })
    ]
    const events: ReadonlyArray<EventDelivery> = [
      sample.eventDelivery({ id: "evd_1", fencingToken: 5 }),
      sample.eventDelivery({ id: "evd_2", dueAt: noon + 1 }),
      sample.eventDelivery({ id: "evd_3", subscriber: "whk_2" }),
      sample.eventDelivery({ id: "evd_4", status: "failed", dueAt: null, endedAt: noon })
    ]
    yield* commit(store, ...rows.map(insert.delivery), ...events.map(insert.eventDelivery))
    yield* same("the claim", yield* takeMail(store, "w", noon, noon + 10, 1), ["del_1"])
    yield* same("the claim of events", yield* takeEvents(store, "w", noon, noon + 10), ["evd_1"])
    for (const [n, row] of rows.entries())
      yield* same(
        `the delivery ${row.id}`,
        yield* ask(store, { _tag: "Delivery", projectId, id: row.id }),
        n === 0 ? { ...row, worker: "w", fencingToken: 6 } : row
      )
    for (const [n, row] of events.entries())
      yield* same(
        `the event delivery ${row.id}`,
        yield* ask(store, { _tag: "EventDelivery", projectId, id: row.id }),
        n === 0 ? { ...row, worker: "w", fencingToken: 6 } : row
      )
  }
)

const nextOfSeveral = law(
  "time/next-due-of-several",
  "The next due time is the earliest of all scheduled and queued deliveries without a worker and of all leases of other workers.",
  function* (store) {
    const next = (worker: string, now = noon) => ask(store, { _tag: "NextDue", worker, now })
    yield* commit(store, insert.delivery(sample.delivery({ id: "del_1", status: "sending", dueAt: noon - 9 })))
    yield* same("a delivery in sending is not due", yield* next("w"), null)
    yield* commit(store, renewLease("x", noon + 50))
    yield* commit(store, renewLease("y", noon + 40))
    yield* same("the earlier end of two leases", yield* next("w"), noon + 40)
    yield* same("the end of the lease of the other worker", yield* next("y"), noon + 50)
    yield* same("the end of a lease is after now", yield* next("w", noon + 40), noon + 50)
    yield* same("just before the end of a lease", yield* next("w", noon + 39), noon + 40)
    yield* commit(store, insert.delivery(sample.delivery({ id: "del_2", status: "queued", dueAt: noon + 30 })))
    yield* same("a queued delivery", yield* next("w"), noon + 30)
    yield* commit(store, insert.delivery(sample.delivery({ id: "del_3", status: "scheduled", dueAt: noon + 20 })))
    yield* same("an earlier scheduled delivery", yield* next("w"), noon + 20)
    yield* commit(store, insert.delivery(sample.delivery({ id: "del_4", status: "queued", dueAt: noon + 10 })))
    yield* commit(store, insert.delivery(sample.delivery({ id: "del_5", status: "queued", dueAt: noon + 15 })))
    yield* same("an earlier queued delivery", yield* next("w"), noon + 10)
    yield* commit(
      store,
      insert.delivery(sample.delivery({ id: "del_6", status: "queued", dueAt: noon + 5, worker: "x" }))
    )
    yield* same("a delivery with a worker", yield* next("w"), noon + 10)
    yield* commit(store, insert.delivery(sample.delivery({ id: "del_7", status: "failed", dueAt: null })))
    yield* same("a delivery that is never due", yield* next("w"), noon + 10)
  }
)

const backlogOldest = law(
  "time/backlog-of-several",
  "The backlog counts each status by itself, and its oldest due time is the earliest of both waiting statuses.",
  function* (store) {
    const backlog = (now: number) => ask(store, { _tag: "Backlog", now })
    const at = (n: number, status: Delivery["status"], dueAt: number | null) =>
      commit(store, insert.delivery(sample.delivery({ id: `del_${n}`, status, dueAt })))
    yield* at(1, "scheduled", noon - 5)
    yield* at(2, "scheduled", noon + 5)
    yield* at(3, "scheduled", noon - 4)
    yield* at(4, "queued", noon - 3)
    yield* at(5, "sending", noon - 50)
    yield* at(6, "sending", noon - 40)
    yield* at(7, "canceled", null)
    const counts = { scheduled: 3, queued: 1, sending: 2 }
    yield* same("an older scheduled delivery", yield* backlog(noon), { ...counts, oldestDueAt: noon - 5 })
    yield* same("at its due time", yield* backlog(noon - 5), { ...counts, oldestDueAt: noon - 5 })
    yield* same("just before its due time", yield* backlog(noon - 6), { ...counts, oldestDueAt: null })
    yield* at(8, "queued", noon - 7)
    yield* same("an older queued delivery", yield* backlog(noon), { ...counts, queued: 2, oldestDueAt: noon - 7 })
  }
)

const pendingOfSeveral = law(
  "events/pending-of-several",
  {
    statement:
      "The pending event deliveries show each subscriber once, by name, with the earliest due time that no live lease protects.",
    why: "decisions/0016-events.md"
  },
  function* (store) {
    const at = (n: number, subscriber: string, dueAt: number | null, worker: string | null = null) =>
      sample.eventDelivery({
        id: `evd_${n}`,
        subscriber,
        dueAt,
        worker,
        projectId: n % 2 === 0 ? projectId : "prj_other",
        ...(dueAt === null ? { status: "delivered", endedAt: noon } : {})
      })
    const rows = [
      at(1, "whk_b", noon + 3),
      at(2, "whk_b", noon + 1, "live"),
      at(3, "whk_b", noon + 2),
      at(4, "whk_a", noon + 9, "ended"),
      at(5, "whk_c", noon + 1, "live"),
      at(6, "whk_d", null),
      at(7, "whk_e", noon + 4, "without a lease"),
      at(8, "whk_e", noon + 5),
      at(10, "whk_c", null)
    ]
    yield* commit(store, ...rows.map(insert.eventDelivery), renewLease("live", noon + 1), renewLease("ended", noon))
    const pending = (now: number) => ask(store, { _tag: "PendingEventDeliveries", now })
    yield* same("the pending event deliveries", yield* pending(noon), [
      { subscriber: "whk_a", dueAt: noon + 9 },
      { subscriber: "whk_b", dueAt: noon + 2 },
      { subscriber: "whk_e", dueAt: noon + 4 }
    ])
    yield* same("the pending event deliveries at the end of the lease", yield* pending(noon + 1), [
      { subscriber: "whk_a", dueAt: noon + 9 },
      { subscriber: "whk_b", dueAt: noon + 1 },
      { subscriber: "whk_c", dueAt: noon + 1 },
      { subscriber: "whk_e", dueAt: noon + 4 }
    ])
  }
)

export const leaseLaws: ReadonlyArray<StoreLaw> = [
  oneLease,
  othersUntouched,
  nextOfSeveral,
  backlogOldest,
  pendingOfSeveral
]
