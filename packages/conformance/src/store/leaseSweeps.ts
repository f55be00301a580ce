/**
 * Laws of the sweep of leases: the oldest end first, and never the lease of a worker with waiting work.
 */
import type { Delivery, EventDelivery } from "@mailkeep/core/adapter"
import { wholeRotation } from "@mailkeep/core/adapter"
import { same } from "../expectation.ts"
import { commit, insert, renewLease } from "./changes.ts"
import { claim } from "./claims.ts"
import { ask } from "./queries.ts"
import { idsOf, noon } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0016-events.md")

const idleOnly = law(
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

const oldestFirst = law(
  "sweep/oldest-lease-first",
  "A sweep of leases with a limit deletes the lease that ended first, and of one end by worker.",
  function* (store) {
    for (const [worker, leaseUntil] of [
      ["b", 3],
      ["d", 2],
      ["a", 3],
      ["c", 2]
    ] as const)
      yield* commit(store, renewLease(worker, noon + leaseUntil))
    const sweep = store.sweep({ kind: "leases", before: noon + 9, limit: 1 })
    const last = { _tag: "NextDue", now: noon } as const
    yield* same("the first sweep", yield* sweep, 1)
    // The earliest end is that of "d", which only "d" itself does not see.
    yield* same("for the worker that is left of the first tie", yield* ask(store, { ...last, worker: "d" }), noon + 3)
    yield* same("for the worker of the deleted lease", yield* ask(store, { ...last, worker: "c" }), noon + 2)
    yield* same("the second sweep", yield* sweep, 1)
    yield* same("the third sweep", yield* sweep, 1)
    yield* same("for the last worker", yield* ask(store, { ...last, worker: "b" }), null)
    yield* same("for another worker", yield* ask(store, { ...last, worker: "a" }), noon + 3)
  }
)

const finished = law(
  "sweep/leases-of-finished-deliveries",
  "A sweep deletes the lease of a worker whose deliveries and event deliveries have all ended, and keeps it while one of them waits.",
  function* (store) {
    const deliveries: ReadonlyArray<Delivery> = [
      sample.delivery({ id: "del_1", status: "delivered", dueAt: null, worker: "ended" }),
      sample.delivery({ id: "del_2", status: "sending", worker: "sends" }),
      sample.delivery({ id: "del_3", status: "queued", worker: "queued" }),
      sample.delivery({ id: "del_4", status: "scheduled", worker: "schedules" }),
      sample.delivery({ id: "del_5", status: "queued", worker: null })
    ]
    const events: ReadonlyArray<EventDelivery> = [
      sample.eventDelivery({ id: "evd_1", status: "failed", dueAt: null, endedAt: noon, worker: "ended" }),
      sample.eventDelivery({ id: "evd_2", worker: "posts" }),
      sample.eventDelivery({ id: "evd_3", worker: null })
    ]
    const workers = ["ended", "idle", "posts", "queued", "schedules", "sends"]
    yield* commit(
      store,
      ...deliveries.map(insert.delivery),
      ...events.map(insert.eventDelivery),
      ...workers.map((worker, n) => renewLease(worker, noon + 1 + n))
    )
    const sweep = store.sweep({ kind: "leases", before: noon + 99, limit: 9 })
    yield* same("the number of the first sweep", yield* sweep, 2)
    yield* same("the number of the second sweep", yield* sweep, 0)
    const lease = { now: noon, limit: 9, worker: "other", leaseUntil: noon + 1 }
    const claimed = [
      yield* store.claim({ kind: "dueQueued", rotation: wholeRotation, ...lease }),
      yield* store.claim({ kind: "dueScheduled", rotation: wholeRotation, ...lease }),
      yield* store.claim({ kind: "abandonedSending", rotation: wholeRotation, ...lease }),
      yield* store.claimEventDeliveries({ subscriber: "whk_1", ...lease })
    ]
    yield* same("what another worker can claim", claimed.map(idsOf), [["del_5"], [], [], ["evd_3"]])
  }
)

export const leaseSweepLaws: ReadonlyArray<StoreLaw> = [idleOnly, oldestFirst, finished]
