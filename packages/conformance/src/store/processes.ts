/**
 * Laws of several processes on one store.
 */
import { Effect, Fiber, Stream } from "effect"
import { aTurn, yieldSeveralTimes } from "../awaiting.ts"
import { same, tally } from "../expectation.ts"
import { startChild } from "./childProcess.ts"
import type { Job } from "./childProtocol.ts"
import { commit, insert, put } from "./changes.ts"
import { checkChanges, checkExpectations } from "./concurrentWrites.ts"
import { counter, setting } from "./queries.ts"
import * as sample from "./sampleRecords.ts"
import { idsOf, noon, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { openAt, storeLawsFor, StorePlace } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0006-hand-off.md")
const needs = { multiProcess: true } as const
const processes = 3

const several = (job: (n: number) => Job) =>
  Effect.flatMap(StorePlace, ({ here }) =>
    Effect.all(
      Array.from({ length: processes }, (_, n) => startChild(here.child!, job(n))),
      { concurrency: "unbounded" }
    )
  )

/** Starts several processes that begin at the same time, and returns all lines that they reported. */
const together = (job: (n: number) => Job) =>
  Effect.gen(function* () {
    const children = yield* several(job)
    yield* Effect.forEach(children, ({ proceed }) => proceed, { discard: true })
    yield* Effect.forEach(children, ({ ended }) => ended, { discard: true })
    return children.flatMap(({ reportedLines: reported }) => reported())
  })

const claimedOnce = law(
  "processes/one-claimant-each",
  { statement: "Of several processes that claim concurrently, exactly one gets each delivery.", needs },
  function* (store) {
    const rows = sample.numberedDeliveries(400)
    for (let from = 0; from < rows.length; from += 100)
      yield* commit(store, ...rows.slice(from, from + 100).map(insert.delivery))
    const reported = yield* together((n) => ({ job: "claim", name: `w${n}`, now: noon }))
    yield* same("the claimed deliveries", reported.toSorted(), idsOf(rows))
  }
)

const nothingLost = law(
  "processes/no-update-is-lost",
  {
    statement:
      "Of several processes that spend the last units concurrently, none loses an update and none is refused because the store is busy.",
    needs
  },
  function* (store) {
    const reported = yield* together(() => ({ job: "spend", count: 60, max: 100 }))
    yield* same("the results", tally(reported), { applied: 100, Exhausted: processes * 60 - 100 })
    yield* same("the counter", yield* counter(store, "allowance"), 100)
  }
)

const oneWinner = law(
  "processes/one-writer-wins",
  {
    statement:
      "Of several processes that record one idempotency key, create one contact or replace one revision concurrently, exactly one succeeds.",
    why: "decisions/0001-core-decides.md",
    needs
  },
  function* (store) {
    const rounds = 20
    yield* commit(store, put.suppression(sample.suppression()))
    const children = yield* several((n) => ({ job: "race", name: `p${n}`, rounds }))
    for (let round = 0; round < rounds; round++) {
      yield* Effect.forEach(children, ({ proceed }) => proceed, { discard: true })
      yield* Effect.forEach(children, ({ waitForLines: received }) => received((round + 1) * 3), { discard: true })
    }
    yield* Effect.forEach(children, ({ ended }) => ended, { discard: true })
    const results = tally(children.flatMap(({ reportedLines: reported }) => reported()))
    for (let round = 0; round < rounds; round++)
      for (const race of ["key", "contact", "revision"])
        yield* same(`the number of winners of ${race} ${round}`, results[`${race} ${round} applied`], 1)
  }
)

const oneChanged = law(
  "processes/one-of-many-changed",
  {
    statement:
      "Of many concurrent commits of two processes that change, rewrite or remove one record as they read it, exactly one is applied, for each kind of change.",
    why: "decisions/0037-one-commit.md",
    needs
  },
  function* (store) {
    const { here } = yield* StorePlace
    yield* checkChanges([store, yield* openAt(here)])
  }
)

const oneExpected = law(
  "processes/each-kind-is-expected-in-a-race",
  {
    statement:
      "Of two processes whose commits each expect the other's record to be absent, or at the revision that was read, exactly one succeeds, for each kind of record.",
    why: "decisions/0037-one-commit.md",
    needs
  },
  function* (store) {
    const { here } = yield* StorePlace
    yield* checkExpectations(store, yield* openAt(here))
  }
)

const oneState = law(
  "processes/read-is-one-state",
  {
    statement:
      "All queries of one read are answered from one state, whatever another process commits at the same time.",
    why: "decisions/0001-core-decides.md",
    needs
  },
  function* (store) {
    const { here } = yield* StorePlace
    const writer = yield* startChild(here.child!, { job: "pairs" })
    yield* writer.proceed
    const ended = yield* Effect.forkChild(writer.ended)
    // Counts the states instead of the reads, because the writer may pause while this process reads.
    const states = new Set<number | undefined>()
    while (states.size < 50 && ended.pollUnsafe() === undefined) {
      const [[waiting], [allowance]] = yield* store.read([
        { _tag: "Counters", projectId, names: ["scheduledRecipients"] },
        { _tag: "Counters", projectId, names: ["allowance"] }
      ])
      yield* same("two counters that every commit changes together", waiting, allowance)
      states.add(waiting)
      yield* aTurn
    }
    yield* writer.proceed
    yield* Fiber.join(ended)
  }
)

const seesOthers = law(
  "processes/others-are-seen",
  { statement: "What one process writes, another process that has the store open reads next.", needs },
  function* (store) {
    const { here } = yield* StorePlace
    const other = yield* openAt(here)
    for (let n = 0; n < 10; n++) {
      yield* commit(n % 2 === 0 ? store : other, put.setting(`s${n}`))
      yield* same(`the setting s${n}`, yield* setting(n % 2 === 0 ? other : store, `s${n}`), "1")
    }
  }
)

const tellsOfOthers = law(
  "processes/reports-other-processes",
  { statement: "The stream `commitsOfOtherProcesses` emits when another process has committed.", needs },
  function* (store) {
    const { here } = yield* StorePlace
    const other = yield* openAt(here)
    const received: Array<void> = []
    const listening = yield* Effect.forkChild(
      Stream.runForEach(store.commitsOfOtherProcesses, () => Effect.sync(() => received.push(undefined))),
      { startImmediately: true }
    )
    yield* yieldSeveralTimes
    yield* same("how often the stream emits before another process writes", received.length, 0)
    const writing = (n: number): Effect.Effect<void, unknown> =>
      Effect.gen(function* () {
        yield* same("whether the stream emits again", listening.pollUnsafe(), undefined)
        yield* commit(other, put.setting(`s${n}`))
        yield* aTurn
        if (received.length < 2) yield* writing(n + 1)
      })
    yield* writing(0)
    yield* Fiber.interrupt(listening)
  }
)

const reportsEarlierCommits = law(
  "processes/reports-commits-since-opening",
  {
    statement:
      "The stream `commitsOfOtherProcesses` also emits when another process has committed after the store was opened and before the stream is read.",
    needs
  },
  function* (store) {
    const { here } = yield* StorePlace
    const other = yield* openAt(here)
    yield* commit(other, put.setting("earlier"))
    yield* Stream.runHead(store.commitsOfOtherProcesses)
  }
)

export const processLaws: ReadonlyArray<StoreLaw> = [
  claimedOnce,
  nothingLost,
  oneWinner,
  oneChanged,
  oneExpected,
  oneState,
  seesOthers,
  tellsOfOthers,
  reportsEarlierCommits
]
