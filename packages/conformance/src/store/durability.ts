/**
 * Laws of durability: what was acknowledged is there after a close and after a kill.
 */
import type { MailStoreShape } from "@mailkeep/core/port"
import { Effect } from "effect"
import * as fc from "fast-check"
import { wholeState } from "../arbitraries/query.ts"
import { script } from "../arbitraries/script.ts"
import { holds, same } from "../expectation.ts"
import { answersOf } from "../Script.ts"
import { startChild } from "./childProcess.ts"
import { claim } from "./claims.ts"
import { ask, commit, counter, idsOf, noon, projectId, put, setting } from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { openAt, storeLaw, StorePlace } from "./StoreSubject.ts"

const why = "decisions/0005-durability.md"
const needs = { durable: true } as const

/** Short lives, the same each time, that between them make every kind of change, claim and sweep. */
const lives = fc.sample(script, { seed: 1, numRuns: 12 })

const reopened = storeLaw(
  "durability/stands-after-reopening",
  {
    says: "What stood when the store was closed stands when it is opened again: every record, claim, lease and counter.",
    why,
    needs
  },
  () =>
    Effect.forEach(
      lives,
      (steps) =>
        Effect.gen(function* () {
          const place = yield* Effect.flatMap(StorePlace, ({ another }) => another)
          const left = yield* Effect.scoped(Effect.flatMap(openAt(place), (store) => answersOf(store, steps)))
          const store = yield* openAt(place)
          const standing = yield* store.read(wholeState)
          const before = left.at(-1) as ReadonlyArray<unknown>
          for (const [n, query] of wholeState.entries()) yield* same(JSON.stringify(query), standing[n], before[n])
        }),
      { discard: true }
    )
)

const killed = storeLaw(
  "durability/acknowledged-survives-a-kill",
  {
    says: "What was acknowledged to a process that is killed without warning, commits and claims, is there when the store is opened again, and each commit whole.",
    why,
    needs
  },
  () =>
    Effect.gen(function* () {
      const place = yield* Effect.flatMap(StorePlace, ({ another }) => another)
      for (const name of ["first", "second"]) {
        const child = yield* startChild(place.child!, { job: "commit", name })
        yield* child.begin
        yield* child.heard(100)
        yield* child.kill
        const told = child.told()
        yield* holds("the process commits and claims", told.length >= 99, told.length)
        yield* Effect.scoped(Effect.flatMap(openAt(place), (store) => stands(store, told)))
      }
    })
)

/** Everything that was told, and of what was not told no half. */
const stands = (store: MailStoreShape, told: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const settings = told.filter((line) => !line.startsWith("del_"))
    for (const line of settings) yield* same(line, yield* setting(store, line), "1")
    const claimed = new Set(told.filter((line) => line.startsWith("del_")))
    const again = idsOf(yield* claim(store, { worker: "another", limit: 10_000 }))
    yield* same(
      "what was claimed and can be claimed again",
      again.filter((id) => claimed.has(id)),
      []
    )
    const [events, spent] = [
      yield* ask(store, { _tag: "Events", projectId, after: null, limit: 100_000 }),
      yield* counter(store, "allowance")
    ]
    yield* same("the events beside the counter that their commits moved", events.length, spent)
    yield* holds("none of them is missing", events.length >= settings.length, events.length)
  })

const closed = storeLaw(
  "durability/closed-is-said",
  { says: "A store that was closed says so to every call, and keeps nothing of it.", why, needs },
  () =>
    Effect.gen(function* () {
      const place = yield* Effect.flatMap(StorePlace, ({ another }) => another)
      const store = yield* Effect.scoped(openAt(place))
      const calls: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>]> = [
        ["a commit", commit(store, put.setting("late"))],
        ["a read", setting(store, "late")],
        ["a claim", claim(store)],
        ["a sweep", store.sweep({ kind: "events", before: noon, limit: 1 })]
      ]
      for (const [what, call] of calls) {
        const failure = yield* Effect.flip(call)
        yield* same(`${what} after the end`, (failure as { readonly _tag?: string })._tag, "StoreUnavailable")
      }
      const again = yield* openAt(place)
      yield* same("the setting", yield* setting(again, "late"), null)
    })
)

export const durabilityLaws: ReadonlyArray<StoreLaw> = [reopened, killed, closed]
