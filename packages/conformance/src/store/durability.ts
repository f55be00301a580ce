/**
 * Laws of durability: acknowledged writes are in the store after a close and after a kill.
 */
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { Effect, Exit, Fiber, Scope } from "effect"
import * as fc from "fast-check"
import { wholeState } from "../arbitraries/wholeState.ts"
import { script } from "../arbitraries/script.ts"
import { failureOf, holds, same } from "../expectation.ts"
import type { Script } from "../Script.ts"
import { answersOf, readSorted } from "../Script.ts"
import { startChild } from "./childProcess.ts"
import { claim } from "./claims.ts"
import { ask, counter, setting } from "./queries.ts"
import { commit, put } from "./changes.ts"
import { idsOf, noon, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { openAt, storeLawsFor, StorePlace } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0005-durability.md")
const needs = { durable: true } as const

/** The seeds of scripts that together make every kind of change, claim and sweep. `durability.test.ts` shows that they do. */
const seeds = [245, 1898, 5107]

/** @internal What `durability/kept-after-reopening` does before it opens a store again. */
export const scriptsBeforeReopening: ReadonlyArray<Script> = seeds.flatMap((seed) =>
  fc.sample(script, { seed, numRuns: 1 })
)

const reopened = law(
  "durability/kept-after-reopening",
  { statement: "A store that is closed and opened again has the same records, claims, leases and counters.", needs },
  function* () {
    for (const steps of scriptsBeforeReopening) {
      const location = yield* Effect.flatMap(StorePlace, ({ another }) => another)
      const left = yield* Effect.scoped(Effect.flatMap(openAt(location), (store) => answersOf(store, steps)))
      const store = yield* openAt(location)
      const existing = yield* readSorted(store, wholeState)
      const before = left.at(-1) as ReadonlyArray<unknown>
      for (const [n, query] of wholeState.entries()) yield* same(JSON.stringify(query), existing[n], before[n])
    }
  }
)

const killed = law(
  "durability/acknowledged-survives-a-kill",
  {
    statement:
      "After a process is killed without warning, the store has its acknowledged commits and claims, and each commit is whole.",
    needs
  },
  function* () {
    const location = yield* Effect.flatMap(StorePlace, ({ another }) => another)
    for (const name of ["first", "second"]) {
      const child = yield* startChild(location.child!, { job: "commit", name })
      yield* child.proceed
      yield* child.waitForLines(100)
      yield* child.kill
      const reported = child.reportedLines()
      yield* holds("the commits and claims of the process", "at least 99", reported.length >= 99, reported.length)
      yield* Effect.scoped(Effect.flatMap(openAt(location), (store) => checkReported(store, reported)))
    }
  }
)

/** Every reported commit is whole. A commit that was not reported is whole or missing. */
const checkReported = (store: MailStoreShape, reported: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const settings = reported.filter((line) => !line.startsWith("del_"))
    for (const line of settings) yield* same(line, yield* setting(store, line), "1")
    const claimed = new Set(reported.filter((line) => line.startsWith("del_")))
    const again = idsOf(yield* claim(store, { worker: "another", limit: 10_000 }))
    yield* same(
      "the claimed deliveries that can be claimed again",
      again.filter((id) => claimed.has(id)),
      []
    )
    const [events, spent] = [
      yield* ask(store, { _tag: "Events", projectId, after: null, limit: 100_000 }),
      yield* counter(store, "allowance")
    ]
    yield* same("the events and the counter that their commits changed", events.length, spent)
    yield* holds("the events", "one for each setting", events.length >= settings.length, events.length)
  })

const closed = law(
  "durability/closed-is-reported",
  "A closed store fails every call and keeps nothing of it.",
  function* () {
    const location = yield* Effect.flatMap(StorePlace, ({ another }) => another)
    const store = yield* Effect.scoped(openAt(location))
    const calls: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>]> = [
      ["a commit", commit(store, put.setting("late"))],
      ["a read", setting(store, "late")],
      ["a scan", ask(store, { _tag: "Backlog", now: noon })],
      ["a claim", claim(store)],
      [
        "a claim of event deliveries",
        store.claimEventDeliveries({ subscriber: "whk_1", now: noon, limit: 1, worker: "w", leaseUntil: noon })
      ],
      ["a sweep", store.sweep({ kind: "events", before: noon, limit: 1 })],
      ["a sweep of messages", store.sweepMessages({ before: noon, after: null, limit: 1 })]
    ]
    for (const [what, call] of calls) {
      const failure = yield* failureOf(`${what} after the close`, call)
      const { _tag, reason } = failure as { readonly _tag?: string; readonly reason?: unknown }
      yield* same(`the failure of ${what}`, _tag, "StoreUnavailable")
      yield* same(`the type of its reason`, typeof reason, "string")
    }
    const again = yield* openAt(location)
    yield* same("the setting", yield* setting(again, "late"), null)
  }
)

const closedWhileBusy = law(
  "durability/closed-while-busy",
  {
    statement:
      "If a store closes while commits and reads are under way, each of them ends or fails as unavailable, and each acknowledged commit is kept whole.",
    needs
  },
  function* () {
    const location = yield* Effect.flatMap(StorePlace, ({ another }) => another)
    const scope = yield* Scope.make()
    const store = yield* Scope.provide(openAt(location), scope)
    const numbers = Array.from({ length: 50 }, (_, n) => n)
    const start = <A, E>(call: Effect.Effect<A, E>) => Effect.forkScoped(Effect.exit(call), { startImmediately: true })
    const commits = yield* Effect.forEach(numbers, (n) =>
      start(commit(store, put.setting(`first ${n}`), put.setting(`second ${n}`)))
    )
    const reads = yield* Effect.forEach(numbers, (n) => start(setting(store, `first ${n}`)))
    yield* Scope.close(scope, Exit.void)
    const exits = yield* Effect.forEach(commits, Fiber.join)
    const ends: ReadonlyArray<Exit.Exit<unknown, { readonly _tag: string }>> = [
      ...exits,
      ...(yield* Effect.forEach(reads, Fiber.join))
    ]
    for (const exit of ends)
      if (Exit.isFailure(exit)) {
        const failure = yield* failureOf("a call under way at the close", exit)
        yield* same("the failure of a call under way at the close", failure._tag, "StoreUnavailable")
      }
    const again = yield* openAt(location)
    for (const [n, exit] of exits.entries()) {
      const kept = [yield* setting(again, `first ${n}`), yield* setting(again, `second ${n}`)]
      const missing = Exit.isSuccess(exit) ? "1" : kept[0]
      yield* same(`the settings of ${Exit.isSuccess(exit) ? "an acknowledged" : "a failed"} commit`, kept, [
        missing,
        missing
      ])
    }
  }
)

export const durabilityLaws: ReadonlyArray<StoreLaw> = [reopened, killed, closed, closedWhileBusy]
