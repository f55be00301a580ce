/**
 * The simulation of a seed is deterministic, and its checks find an incorrect store within a few seeds.
 */
import type { Attempt, Change } from "@mailkeep/core/adapter"
import { hourMillis } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { FaultRates } from "../src/simulation/faultRates.ts"
import type { Sabotage } from "../src/simulation/simulate.ts"
import { areExplained } from "../src/simulation/verdict.ts"
import { simulateSeed } from "../src/simulation/simulate.ts"

// `pnpm faults simulate` runs many more.
const seeds = Array.from({ length: 10 }, (_, n) => n + 1)

/** Makes the store apply other changes than it was given. */
const committing =
  (change: (changes: ReadonlyArray<Change>) => ReadonlyArray<Change>): Sabotage =>
  (store) => ({ ...store, commit: (changes) => store.commit(change(changes)) })

const without = (tag: Change["_tag"], isRemoved: (change: Change) => boolean = () => true) =>
  committing((changes) => changes.filter((change) => change._tag !== tag || !isRemoved(change)))

const withoutSuppressionGuard = without(
  "Expect",
  (change) => change._tag === "Expect" && change.record.kind === "Suppression"
)

/** With these rates, about one seed in 20 suppresses an address between the read and the commit of a hand-off. */
const callsDuringHandOffs: Partial<FaultRates> = {
  store: { failBefore: 0, failAfter: 0, delayMillisMax: 2000 },
  callsMax: 150,
  killsMax: 0,
  jumpsMax: 0,
  faultMillis: hourMillis
}

const manyReports: Partial<FaultRates> = { reportsMax: 30, earlyReportShare: 0.3 }

const recordsComplaint = (changes: ReadonlyArray<Change>): boolean =>
  changes.some((change) => change._tag === "TransitionDelivery" && change.next.status === "complained")

let count = 0
/** Returns true on every fifth call. */
const everyFifth = () => count++ % 5 === 0

describe("simulateSeed", () => {
  it.each(seeds)("keeps every invariant with seed %i", (seed) => {
    expect(simulateSeed(seed).problems).toEqual([])
  })

  it("keeps every invariant when reports arrive before the relay answers, twice, late and at two processes", () => {
    const results = [1, 2, 53].map((seed) => simulateSeed(seed, undefined, manyReports))
    expect(results.flatMap(({ problems }) => problems)).toEqual([])
    expect(results.every(({ reports }) => reports > 10)).toBe(true)
  })

  it("returns the same result twice for one seed", () => {
    expect(simulateSeed(7)).toEqual(simulateSeed(7))
    expect(simulateSeed(7)).not.toEqual(simulateSeed(8))
  })
})

describe("the checks of a simulation", () => {
  it.each<[boolean, what: string, copies: ReadonlyArray<number>, outcomes: ReadonlyArray<Attempt["outcome"]>]>([
    [true, "no copy", [], ["deferred"]],
    [true, "a copy of a delivered attempt", [2], ["deferred", "delivered"]],
    [true, "a copy of an ambiguous attempt before another one", [1, 2], ["ambiguous", "delivered"]],
    [true, "a copy of an ambiguous attempt that arrives after a later one", [2, 1], ["ambiguous", "delivered"]],
    [false, "two copies of attempts that were both delivered", [1, 2], ["delivered", "delivered"]],
    [false, "a copy of a refused attempt", [1], ["deferred"]],
    [false, "a copy without an attempt", [2], ["delivered"]]
  ])("has the verdict %s about %s", (verdict, _, copies, outcomes) => {
    const attempts = outcomes.map((outcome, index) => ({ number: index + 1, outcome }))
    expect(
      areExplained(
        copies.map((attempt) => ({ attempt })),
        attempts
      )
    ).toBe(verdict)
  })

  it.each<[what: string, problem: RegExp, sabotage: Sabotage, faultRates?: Partial<FaultRates>]>([
    ["a lost delivery", /its message or a delivery is missing$/, without("InsertDelivery", everyFifth)],
    [
      "a lost idempotency record",
      /the idempotency record of k\d+ differs from the answer$/,
      without("RecordIdempotency", everyFifth)
    ],
    ["a lost event", /has the events .*, but counts/, without("AppendEvent", everyFifth)],
    [
      "an event without an event delivery",
      /does not have exactly one event delivery of/,
      without("InsertEventDelivery", everyFifth)
    ],
    [
      "a counter that is never decremented",
      /counts \d+ for daily:.*, but has/,
      without("AddToCounter", (change) => "by" in change && change.by < 0)
    ],
    ["a lost suppression", /the suppression of its address differs$/, without("PutSuppression", everyFifth)],
    [
      "a hand-off that is not marked as finalizing",
      /has a copy at the relay that no attempt explains$/,
      without(
        "TransitionAttempt",
        (change) => "next" in change && "phase" in change.next && change.next.phase === "finalizing"
      )
    ],
    [
      "a guard that is not checked",
      /is finalizing although its address is suppressed/,
      withoutSuppressionGuard,
      { ...callsDuringHandOffs, signalsFinalize: true }
    ],
    [
      "a guard that is not checked at the beginning of an attempt, by a transport that does not signal the end of data",
      /is finalizing although its address is suppressed/,
      withoutSuppressionGuard,
      { ...callsDuringHandOffs, signalsFinalize: false }
    ],
    [
      "a shutdown that hides that the relay may have the message",
      /has a copy at the relay that no attempt explains$/,
      committing((changes) =>
        changes.map((change) =>
          change._tag === "TransitionAttempt" &&
          change.next.statusMessage === "The worker shut down during the hand-off."
            ? { ...change, next: { ...change.next, outcome: "stopped" } }
            : change
        )
      ),
      { killsMax: 4, shutdownShare: 1 }
    ],
    [
      "a wait that a clock set back makes longer",
      /has not ended 4 hours later$/,
      committing((changes) =>
        changes.map((change) =>
          change._tag === "InsertDelivery"
            ? { ...change, delivery: { ...change.delivery, dueSetAt: null } }
            : change._tag === "TransitionDelivery"
              ? { ...change, next: { ...change.next, dueSetAt: null } }
              : change
        )
      ),
      // With these rates, about one seed in 10 ends with a clock that was far ahead while a delivery was queued.
      { jumpsMax: 9, hasOneClock: true, jumpMillisMin: 12 * hourMillis, faultMillis: hourMillis }
    ],
    [
      "a complaint that does not suppress the recipient",
      /has complained, but is not suppressed$/,
      without(
        "PutSuppression",
        (change) => change._tag === "PutSuppression" && change.suppression.reasons.complaint !== undefined
      ),
      manyReports
    ],
    [
      "a report of an unknown mailbox that does not suppress the recipient",
      /was reported as unknown, but is not suppressed$/,
      without(
        "PutSuppression",
        (change) => change._tag === "PutSuppression" && change.suppression.reasons.hard_bounce !== undefined
      ),
      manyReports
    ],
    [
      "a report that is acknowledged but not applied",
      /was complained after a report, and is/,
      (store) => ({ ...store, commit: (changes) => (recordsComplaint(changes) ? Effect.void : store.commit(changes)) }),
      manyReports
    ],
    [
      "a report that does not end the attempt under way",
      /or an attempt never ended$/,
      without(
        "TransitionAttempt",
        (change) =>
          change._tag === "TransitionAttempt" &&
          change.next.statusMessage === "A report about the delivery arrived before the relay answered."
      ),
      manyReports
    ],
    [
      "a report whose event has another kind",
      /has 0 events email\.complained$/,
      committing((changes) =>
        changes.map((change) =>
          change._tag === "AppendEvent" && change.event.kind === "email.complained"
            ? { ...change, event: { ...change.event, kind: "email.bounced" } }
            : change
        )
      ),
      manyReports
    ],
    [
      "an attempt of an event delivery that is not counted",
      /attempts, but the webhook answered/,
      committing((changes) =>
        changes.map((change) =>
          change._tag === "TransitionEventDelivery" ? { ...change, next: { ...change.next, attemptCount: 0 } } : change
        )
      ),
      { hasWebhook: true }
    ],
    [
      "a commit that is acknowledged but not applied",
      /the idempotency record of k\d+ differs from the answer$/,
      (store) => ({ ...store, commit: (changes) => (everyFifth() ? Effect.void : store.commit(changes)) })
    ]
  ])("finds %s", { timeout: 120_000 }, (_, problem, sabotage, faultRates) => {
    count = 0
    const found = Array.from({ length: 400 }, (_, n) => n + 1).find((seed) =>
      simulateSeed(seed, sabotage, faultRates).problems.some((one) => problem.test(one))
    )
    expect(found).toBeDefined()
  })
})
