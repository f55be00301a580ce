/**
 * Laws of counters: the last unit is spent once, and each counter equals what its records add up to.
 */
import { resultsOf, same, tally } from "../expectation.ts"
import { ask, counter } from "./queries.ts"
import { commit, commitResult, insert, put, spend } from "./changes.ts"
import * as sample from "./sampleRecords.ts"
import { noon, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0015-limits.md")

const spentWithin = law(
  "counters/spent-within-the-limit",
  "A counter can be spent from 0 exactly up to its limit.",
  function* (store) {
    yield* same("no unit, with a limit of 0", yield* commitResult(store, spend(0, 0)), "applied")
    yield* same("more than the limit, at first", yield* commitResult(store, spend(4, 3)), "Exhausted")
    yield* same("all units but one", yield* commitResult(store, spend(2, 3)), "applied")
    yield* same("one unit too many", yield* commitResult(store, spend(2, 3)), "Exhausted")
    yield* same("the last unit", yield* commitResult(store, spend(1, 3)), "applied")
    yield* same("one more", yield* commitResult(store, spend(1, 3)), "Exhausted")
    yield* same("no unit, above the limit", yield* commitResult(store, spend(0, 2)), "Exhausted")
    yield* same("without a limit", yield* commitResult(store, spend(5)), "applied")
    yield* same("the counter", yield* counter(store, "allowance"), 8)
  }
)

const refundsKept = law(
  "counters/refunds-are-never-refused",
  "A unit can be given back even if the counter is over its limit.",
  function* (store) {
    yield* commit(store, spend(9))
    yield* same("one unit given back", yield* commitResult(store, spend(-1, 3)), "applied")
    yield* same(
      "a counter that was never spent",
      yield* commitResult(store, spend(-2, 0, "scheduledRecipients")),
      "applied"
    )
    yield* same(
      "the counters",
      [yield* counter(store, "allowance"), yield* counter(store, "scheduledRecipients")],
      [8, -2]
    )
  }
)

const noLostUpdate = law(
  "counters/no-update-is-lost",
  "Of many concurrent counterChanges, none is lost and none exceeds the limit.",
  function* (store) {
    const results = yield* resultsOf(
      Array.from({ length: 100 }, (_, n) =>
        commit(store, spend(1, 30), spend(n % 2 === 0 ? 2 : -1, null, "scheduledRecipients"))
      )
    )
    yield* same("the results", tally(results), { applied: 30, Exhausted: 70 })
    yield* same("the limited counter", yield* counter(store, "allowance"), 30)
    const kept = results.flatMap((result, n) => (result === "applied" ? [n % 2 === 0 ? 2 : -1] : []))
    yield* same(
      "the other counter",
      yield* counter(store, "scheduledRecipients"),
      kept.reduce((sum, by) => sum + by, 0)
    )
  }
)

const usageAuditAddsUp = law(
  "counters/usage-audit-reports-both-sides",
  "The usage audit lists every counter of the project with the number that its records add up to.",
  function* (store) {
    const day = "2026-11-21"
    yield* commit(
      store,
      put.contact(sample.contact()),
      insert.delivery(sample.delivery({ id: "del_1", status: "scheduled", countedDay: day })),
      insert.delivery(sample.delivery({ id: "del_2", countedDay: day, chargedAt: noon })),
      insert.delivery(sample.delivery({ id: "del_3", countedDay: "2026-11-22", chargedAt: noon })),
      insert.delivery(sample.delivery({ id: "del_4", status: "suppressed", dueAt: null })),
      insert.delivery(sample.delivery({ id: "del_6", status: "failed", dueAt: null, chargedAt: noon })),
      insert.delivery(sample.delivery({ id: "del_5", projectId: "prj_other", countedDay: day, chargedAt: noon })),
      ...["prj_other", projectId.toUpperCase()].flatMap((other) => [
        put.contact(sample.contact({ id: `con_${other}`, projectId: other, emailStatus: "unsubscribed" })),
        insert.delivery(
          sample.delivery({
            id: `del_${other}`,
            projectId: other,
            status: "scheduled",
            countedDay: "2026-11-23",
            chargedAt: noon
          })
        ),
        spend(4, null, "contacts", other)
      ]),
      spend(7),
      spend(1, null, "scheduledRecipients"),
      spend(3, null, "scheduledRecipients", "prj_other")
    )
    yield* same("the usage audit", yield* ask(store, { _tag: "UsageAudit", projectId }), {
      counters: [
        { projectId, name: "allowance", value: 7 },
        { projectId, name: "scheduledRecipients", value: 1 }
      ],
      scheduledRecipients: 1,
      charged: 3,
      counted: [
        { day, deliveries: 2 },
        { day: "2026-11-22", deliveries: 1 }
      ],
      contacts: 1,
      unsubscribed: 0
    })
  }
)

export const counterLaws: ReadonlyArray<StoreLaw> = [spentWithin, refundsKept, noLostUpdate, usageAuditAddsUp]
