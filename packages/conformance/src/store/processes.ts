/**
 * Laws of several processes on one store.
 */
import { Effect, Fiber, Stream } from "effect"
import { same, tally } from "../expectation.ts"
import { startChild } from "./childProcess.ts"
import type { Job } from "./childWorker.ts"
import { commit, counter, delivery, insert, noon, numbered, put, setting } from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { openAt, storeLaw, StorePlace } from "./StoreSubject.ts"

const why = "decisions/0006-hand-off.md"
const needs = { multiProcess: true } as const
const processes = 3

/** Several processes begin at once; what all of them told. */
const together = (job: (n: number) => Job) =>
  Effect.gen(function* () {
    const { here } = yield* StorePlace
    const children = yield* Effect.all(
      Array.from({ length: processes }, (_, n) => startChild(here.child!, job(n))),
      { concurrency: "unbounded" }
    )
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
      const told = yield* Effect.forkChild(Stream.runHead(store.changes), { startImmediately: true })
      for (let n = 0; told.pollUnsafe() === undefined; n++) {
        yield* commit(other, put.setting(`s${n}`))
        yield* Effect.yieldNow
      }
      yield* same("what it tells", (yield* Fiber.join(told))._tag, "Some")
    })
)

export const processLaws: ReadonlyArray<StoreLaw> = [claimedOnce, nothingLost, seesOthers, tellsOfOthers]
