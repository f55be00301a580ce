/**
 * Laws for a clock that was set back: what the later clock wrote delays nothing.
 */
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { dayMillis } from "@mailkeep/core/adapter"
import { same } from "../expectation.ts"
import { commit, endLease, insert, renewLease } from "./changes.ts"
import { claim, insertAll, leaseMillis } from "./claims.ts"
import { ask } from "./queries.ts"
import { idsOf, noon } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0044-clock-set-back.md")

const dueBeforeWait = law(
  "claim/due-before-its-wait-began",
  "A claim also takes a delivery at a time before its wait began, and by its due time as any other; one without a beginning waits.",
  function* (store) {
    const waiting = (id: string, dueSetAt: number | null, dueAt: number) =>
      sample.delivery({ id: `del_${id}`, projectId: "prj_law", dueSetAt, dueAt })
    const rows = [
      waiting("at_once", noon, noon),
      waiting("retry", noon - 5, noon + 60),
      waiting("later_retry", noon - 4, noon + 30),
      waiting("scheduled", null, noon - 9)
    ]
    yield* insertAll(store, rows)
    const at = (now: number, worker: string) => claim(store, { now, worker, leaseUntil: now + 1 })
    yield* same("a day before", idsOf(yield* at(noon - dayMillis, "w1")), [
      "del_at_once",
      "del_later_retry",
      "del_retry"
    ])
    yield* commit(store, endLease("w1"))
    yield* same("when the first wait begins", idsOf(yield* at(noon - 5, "w2")), [
      "del_scheduled",
      "del_at_once",
      "del_later_retry"
    ])
    yield* commit(store, endLease("w2"))
    yield* same("when both wait", idsOf(yield* at(noon - 4, "w3")), ["del_scheduled", "del_at_once"])
    yield* commit(store, endLease("w3"))
    yield* same("when all are due", (yield* at(noon + 60, "w4")).length, 4)
    yield* commit(store, endLease("w4"), insert.delivery(waiting("later_clock", noon + 1000, noon + 2000)))
    yield* same("exactly when a retry is due", idsOf(yield* at(noon + 30, "w5")), [
      "del_scheduled",
      "del_at_once",
      "del_later_retry",
      "del_later_clock"
    ])
  }
)

const roundRobinWhenSetBack = law(
  "claim/round-robin-when-set-back",
  "Deliveries that are due because the clock was set back are taken round-robin. A round passes over those that wait.",
  function* (store) {
    const rows = ["a", "b", "c"].flatMap((letter) =>
      [1, 2, 3, 4].map((n) =>
        sample.delivery({
          id: `del_${letter}${n}`,
          projectId: `prj_${letter}`,
          dueAt: noon + n,
          // The second of each project waits, and the others were due at once by the later clock.
          dueSetAt: n === 2 ? noon - dayMillis - 1 : noon + n
        })
      )
    )
    yield* insertAll(store, rows)
    const taken = yield* claim(store, { now: noon - dayMillis, limit: 5 })
    yield* same("the order", idsOf(taken), ["del_a1", "del_b1", "del_c1", "del_a3", "del_b3"])
  }
)

const begins = (store: MailStoreShape, now: number) => ask(store, { _tag: "LeasesSetAfter", now })

const leasesSetAfter = law(
  "time/leases-set-after",
  "The leases that were set after an instant are found, ordered by worker, whenever they end.",
  function* (store) {
    yield* same("without a lease", yield* begins(store, 0), [])
    yield* commit(
      store,
      renewLease("b", noon + 50, noon + 2),
      renewLease("a", noon + 1, noon + 3),
      renewLease("c", 7, noon)
    )
    const a = { worker: "a", renewedAt: noon + 3, leaseUntil: noon + 1 }
    const b = { worker: "b", renewedAt: noon + 2, leaseUntil: noon + 50 }
    const c = { worker: "c", renewedAt: noon, leaseUntil: 7 }
    yield* same("before all", yield* begins(store, noon - 1), [a, b, c])
    yield* same("at the first", yield* begins(store, noon), [a, b])
    yield* same("at the last", yield* begins(store, noon + 3), [])
    yield* commit(store, renewLease("b", noon + 60, noon + 9))
    yield* same("after a renewal", yield* begins(store, noon + 3), [
      { ...b, renewedAt: noon + 9, leaseUntil: noon + 60 }
    ])
    yield* commit(store, endLease("b"))
    yield* same("after the end of the lease", yield* begins(store, noon + 3), [])
  }
)

const claimSetsLease = law(
  "claim/lease-is-set-at-now",
  "A claim sets the lease of its worker at the time of the claim, also a claim of event deliveries and at an earlier time.",
  function* (store) {
    yield* commit(
      store,
      insert.delivery(sample.delivery({ dueAt: noon - dayMillis })),
      insert.eventDelivery(sample.eventDelivery())
    )
    yield* claim(store)
    const lease = { worker: "w1", renewedAt: noon, leaseUntil: noon + leaseMillis }
    yield* same("after a claim", yield* begins(store, 0), [lease])
    const events = { subscriber: "whk_1", now: noon + 5, limit: 9, worker: "w1", leaseUntil: noon + 9 }
    yield* store.claimEventDeliveries(events)
    yield* same("after a claim of events", yield* begins(store, 0), [
      { ...lease, renewedAt: noon + 5, leaseUntil: noon + 9 }
    ])
    yield* commit(store, endLease("w1"))
    const earlier = noon - dayMillis
    yield* claim(store, { now: earlier, leaseUntil: earlier + leaseMillis })
    yield* same("after a claim by an earlier clock", yield* begins(store, 0), [
      { ...lease, renewedAt: earlier, leaseUntil: earlier + leaseMillis }
    ])
  }
)

export const clockSetBackLaws: ReadonlyArray<StoreLaw> = [
  dueBeforeWait,
  roundRobinWhenSetBack,
  leasesSetAfter,
  claimSetsLease
]
