/**
 * Laws of several processes on one store.
 */
import { Effect, Fiber, Stream } from "effect"
import { aTurn } from "../awaiting.ts"
import { same, tally } from "../expectation.ts"
import { startChild } from "./childProcess.ts"
import type { Job } from "./childWorker.ts"
import { commit, counter, delivery, insert, noon, numbered, projectId, put, setting, suppression } from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { openAt, storeLaw, StorePlace } from "./StoreSubject.ts"

const why = "decisions/0006-hand-off.md"
const needs = { multiProcess: true } as const
const processes = 3

const several = (job: (n: number) => Job) =>
  Effect.flatMap(StorePlace, ({ here }) =>
    Effect.all(
      Array.from({ length: processes }, (_, n) => startChild(here.child!, job(n))),
      { concurrency: "unbounded" }
    )
  )

/** Several processes begin at once; what all of them told. */
const together = (job: (n: number) => Job) =>
  Effect.gen(function* () {
    const children = yield* several(job)
    yield* Effect.forEach(children, ({ begin }) => begin, { discard: true })
    yield* Effect.forEach(children, ({ ended }) => ended, { discard: true })
    return children.flatMap(({ told }) => told())
  })

const claimedOnce = storeLaw(
  "processes/one-claimant-each",
  { says: "Of several processes that claim at once, each delivery goes to exactly one.", why, needs },
  (store) =>
    Effect.gen(function* () {
      const ids = Array.from({ length: 400 }, (_, n) => numbered("del", n) as `del_${string}`)
      for (let from = 0; from < ids.length; from += 100)
        yield* commit(store, ...ids.slice(from, from + 100).map((id) => insert.delivery(delivery({ id }))))
      const told = yield* together((n) => ({ job: "claim", name: `w${n}`, now: noon }))
      yield* same("who was claimed", told.toSorted(), ids)
    })
)

const nothingLost = storeLaw(
  "processes/no-update-is-lost",
  {
    says: "Of several processes that spend the last units at once, none loses an update and none is refused for being busy.",
    why,
    needs
  },
  (store) =>
    Effect.gen(function* () {
      const told = yield* together(() => ({ job: "spend", tries: 60, max: 100 }))
      yield* same("the fates", tally(told), { applied: 100, Exhausted: processes * 60 - 100 })
      yield* same("the counter", yield* counter(store, "allowance"), 100)
    })
)

const oneWinner = storeLaw(
  "processes/one-writer-wins",
  {
    says: "Of several processes that record one key, create one contact or replace one revision at once, exactly one does.",
    why: "decisions/0001-core-decides.md",
    needs
  },
  (store) =>
    Effect.gen(function* () {
      const rounds = 20
      yield* commit(store, put.suppression(suppression()))
      const children = yield* several((n) => ({ job: "race", name: `p${n}`, rounds }))
      for (let round = 0; round < rounds; round++) {
        yield* Effect.forEach(children, ({ begin }) => begin, { discard: true })
        yield* Effect.forEach(children, ({ heard }) => heard((round + 1) * 3), { discard: true })
      }
      yield* Effect.forEach(children, ({ ended }) => ended, { discard: true })
      const fates = tally(children.flatMap(({ told }) => told()))
      for (let round = 0; round < rounds; round++)
        for (const race of ["key", "contact", "revision"])
          yield* same(`how many won ${race} ${round}`, fates[`${race} ${round} applied`], 1)
    })
)

const oneState = storeLaw(
  "processes/read-is-one-state",
  {
    says: "All queries of one read are answered from one state, whatever another process commits meanwhile.",
    why: "decisions/0001-core-decides.md",
    needs
  },
  (store) =>
    Effect.gen(function* () {
      const { here } = yield* StorePlace
      const writer = yield* startChild(here.child!, { job: "pairs", tries: 400 })
      yield* writer.begin
      const ended = yield* Effect.forkChild(writer.ended)
      while (ended.pollUnsafe() === undefined) {
        const [[waiting], [allowance]] = yield* store.read([
          { _tag: "Counters", projectId, names: ["waiting"] },
          { _tag: "Counters", projectId, names: ["allowance"] }
        ])
        yield* same("two counters that every commit moves together", waiting, allowance)
        yield* aTurn
      }
      yield* Fiber.join(ended)
      yield* same("how far they came", yield* counter(store, "waiting"), 400)
    })
)

const seesOthers = storeLaw(
  "processes/others-are-seen",
  { says: "What one writes, another that has the store open reads next.", why, needs },
  (store) =>
    Effect.gen(function* () {
      const { here } = yield* StorePlace
      const other = yield* openAt(here)
      for (let n = 0; n < 10; n++) {
        yield* commit(n % 2 === 0 ? store : other, put.setting(`s${n}`))
        yield* same(`the setting s${n}`, yield* setting(n % 2 === 0 ? other : store, `s${n}`), "1")
      }
    })
)

const tellsOfOthers = storeLaw(
  "processes/tells-of-others",
  { says: "The stream of changes tells when somebody else has written.", why, needs },
  (store) =>
    Effect.gen(function* () {
      const { here } = yield* StorePlace
      const other = yield* openAt(here)
      const heard: Array<void> = []
      const listening = yield* Effect.forkChild(
        Stream.runForEach(store.changes, () => Effect.sync(() => heard.push(undefined))),
        { startImmediately: true }
      )
      const writing = (n: number): Effect.Effect<void, unknown> =>
        Effect.gen(function* () {
          yield* same("whether it still tells", listening.pollUnsafe(), undefined)
          yield* commit(other, put.setting(`s${n}`))
          yield* aTurn
          if (heard.length < 2) yield* writing(n + 1)
        })
      yield* writing(0)
      yield* Fiber.interrupt(listening)
    })
)

export const processLaws: ReadonlyArray<StoreLaw> = [
  claimedOnce,
  nothingLost,
  oneWinner,
  oneState,
  seesOthers,
  tellsOfOthers
]
