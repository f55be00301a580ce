/**
 * Laws of counters: the last unit is spent once, and what is counted is what stands.
 */
import { Effect } from "effect"
import { fateOf, fatesOf, same, tally } from "../expectation.ts"
import { ask, commit, contact, counter, delivery, insert, noon, projectId, put, spend } from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLaw } from "./StoreSubject.ts"

const why = "decisions/0015-limits.md"

const spentWithin = storeLaw(
  "counters/spent-within-the-limit",
  { says: "A counter can be spent up to its limit exactly, from 0 on, and no further.", why },
  (store) =>
    Effect.gen(function* () {
      yield* same("nothing, of nothing", yield* fateOf(commit(store, spend(0, 0))), "applied")
      yield* same("more than there is, at first", yield* fateOf(commit(store, spend(4, 3))), "Exhausted")
      yield* same("all but one", yield* fateOf(commit(store, spend(2, 3))), "applied")
      yield* same("one too many", yield* fateOf(commit(store, spend(2, 3))), "Exhausted")
      yield* same("the last one", yield* fateOf(commit(store, spend(1, 3))), "applied")
      yield* same("one more", yield* fateOf(commit(store, spend(1, 3))), "Exhausted")
      yield* same("nothing, where there should be less", yield* fateOf(commit(store, spend(0, 2))), "Exhausted")
      yield* same("without a limit", yield* fateOf(commit(store, spend(5))), "applied")
      yield* same("the counter", yield* counter(store, "allowance"), 8)
    })
)

const refundsStand = storeLaw(
  "counters/refunds-are-never-refused",
  { says: "What is given back is given back, however far over its limit the counter stands.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, spend(9))
      yield* same("giving back one", yield* fateOf(commit(store, spend(-1, 3))), "applied")
      yield* same("a counter nobody has spent", yield* fateOf(commit(store, spend(-2, 0, "waiting"))), "applied")
      yield* same("the counters", [yield* counter(store, "allowance"), yield* counter(store, "waiting")], [8, -2])
    })
)

const noLostUpdate = storeLaw(
  "counters/no-update-is-lost",
  { says: "Of many spends at once none is lost, and none goes past the limit.", why },
  (store) =>
    Effect.gen(function* () {
      const fates = yield* fatesOf(
        Array.from({ length: 100 }, (_, n) => commit(store, spend(1, 30), spend(n % 2 === 0 ? 2 : -1, null, "waiting")))
      )
      yield* same("the fates", tally(fates), { applied: 30, Exhausted: 70 })
      yield* same("the limited counter", yield* counter(store, "allowance"), 30)
      const kept = fates.flatMap((fate, n) => (fate === "applied" ? [n % 2 === 0 ? 2 : -1] : []))
      yield* same(
        "the one beside it",
        yield* counter(store, "waiting"),
        kept.reduce((sum, by) => sum + by, 0)
      )
    })
)

const ledgerAddsUp = storeLaw(
  "counters/ledger-tells-both-sides",
  { says: "The ledger shows every counter of the project, and beside it what its records add up to.", why },
  (store) =>
    Effect.gen(function* () {
      const day = "2026-11-21"
      yield* commit(
        store,
        put.contact(contact()),
        insert.delivery(delivery({ id: "del_1", status: "scheduled", countedDay: day })),
        insert.delivery(delivery({ id: "del_2", countedDay: day, chargedAt: noon })),
        insert.delivery(delivery({ id: "del_3", countedDay: "2026-11-22", chargedAt: noon })),
        insert.delivery(delivery({ id: "del_4", status: "suppressed", dueAt: null })),
        insert.delivery(delivery({ id: "del_5", projectId: "prj_other", countedDay: day, chargedAt: noon })),
        spend(7),
        spend(1, null, "waiting"),
        spend(3, null, "waiting", "prj_other")
      )
      yield* same("the ledger", yield* ask(store, { _tag: "Ledger", projectId }), {
        counters: [
          { projectId, name: "allowance", value: 7 },
          { projectId, name: "waiting", value: 1 }
        ],
        waiting: 1,
        charged: 2,
        counted: [
          { day, deliveries: 2 },
          { day: "2026-11-22", deliveries: 1 }
        ],
        contacts: 1,
        unsubscribed: 0
      })
    })
)

export const counterLaws: ReadonlyArray<StoreLaw> = [spentWithin, refundsStand, noLostUpdate, ledgerAddsUp]
