import type { Change } from "@mailkeep/core/adapter"
import { openWatched, startPostgres } from "@mailkeep/test-support/postgres"
import { eventLoopTurns, hasEndedAfter } from "@mailkeep/test-support/eventLoop"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { makeGroupCommit } from "../src/internal/write/groupCommit.ts"
import { testServer } from "./testServer.ts"

const put = (name: string): ReadonlyArray<Change> => [{ _tag: "PutSetting", name, value: "x" }]

const spend = (by: number, max: number): ReadonlyArray<Change> => [
  { _tag: "AddToCounter", projectId: "prj_1" as never, name: "allowance", by, max }
]

const readKey: ReadonlyArray<Change> = [
  { _tag: "Expect", record: { kind: "ApiKey", projectId: "prj_1" as never, id: "key_1" as never }, revision: 1 }
]
const writeKey: ReadonlyArray<Change> = [
  { _tag: "PutApiKey", key: { projectId: "prj_1", id: "key_1" } as never, replaces: 1 }
]

const withStore = async <A, E>(use: (store: PostgresMailStore.PostgresMailStoreShape) => Effect.Effect<A, E>) => {
  const server = await testServer()
  const connectionString = server.urlOf(await server.createDatabase())
  return Effect.runPromise(Effect.scoped(Effect.flatMap(PostgresMailStore.make({ connectionString }), use)))
}

const unbounded = { concurrency: "unbounded" } as const

describe("commit", () => {
  it("commits many concurrent commits in few groups", async () => {
    const counts = await withStore((store) =>
      Effect.gen(function* () {
        yield* Effect.forEach(
          Array.from({ length: 100 }, (_, n) => put(`s${n}`)),
          store.commit,
          unbounded
        )
        return store.groupCounts()
      })
    )
    expect(counts.writes).toBe(100)
    expect([1, 2, 3]).toContain(counts.groups)
  })

  it("finishes the commits that wait when the store closes, and then refuses others", async () => {
    const server = await testServer()
    const connectionString = server.urlOf(await server.createDatabase())
    const program = Effect.gen(function* () {
      const waiting = yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* PostgresMailStore.make({ connectionString })
          const fibers = yield* Effect.forEach(
            Array.from({ length: 600 }, (_, n) => put(`s${n}`)),
            (changes) => Effect.forkDetach(Effect.exit(store.commit(changes)), { startImmediately: true })
          )
          return { store, fibers }
        })
      )
      const exits = yield* Effect.forEach(waiting.fibers, Fiber.join)
      const refused = yield* Effect.flip(waiting.store.commit(put("late")))
      return { applied: exits.filter(Exit.isSuccess).length, refused }
    })
    const { applied, refused } = await Effect.runPromise(program)
    expect(applied).toBe(600)
    expect(refused).toMatchObject({ _tag: "StoreUnavailable", reason: "closed" })
  })

  it("closes when no group has ended for 2 s, and waits longer while groups end", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      // Two groups end, the first after 1 s and the second after 2 s. The third never ends.
      let begun = 0
      const slow = (commits: ReadonlyArray<unknown>) => {
        const wait = [Effect.sleep("1 second"), Effect.sleep("2 seconds")][begun++] ?? Effect.never
        return Effect.as(
          wait,
          commits.map(() => Exit.void)
        )
      }
      const { commit } = yield* Effect.provideService(makeGroupCommit(slow), Scope.Scope, scope)
      for (const name of ["a", "b", "c"]) {
        yield* Effect.forkDetach(commit(put(name)), { startImmediately: true })
        yield* eventLoopTurns(10)
      }
      expect(begun).toBe(3)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      // At 2 s and again at 4 s, a group has ended in the last 2 s.
      expect(yield* hasEndedAfter(closing, 2000)).toBe(false)
      expect(yield* hasEndedAfter(closing, 1999)).toBe(false)
      expect(yield* hasEndedAfter(closing, 1)).toBe(true)
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))

  it("writes a record that others read all the time before those that read it later", () =>
    Effect.gen(function* () {
      const groups: Array<{ readonly names: ReadonlyArray<string>; readonly end: () => void }> = []
      const commitGroup = (commits: ReadonlyArray<ReadonlyArray<Change>>) =>
        Effect.callback<ReadonlyArray<Exit.Exit<void>>>((resume) => {
          const names = commits.map((changes) => (changes.some(({ _tag }) => _tag === "Expect") ? "read" : "write"))
          groups.push({ names, end: () => resume(Effect.succeed(commits.map(() => Exit.void))) })
        })
      const { commit } = yield* makeGroupCommit(commitGroup)
      const begin = (changes: ReadonlyArray<Change>) =>
        Effect.andThen(Effect.forkChild(commit(changes), { startImmediately: true }), eventLoopTurns(10))
      const end = (at: number) => Effect.andThen(Effect.sync(groups[at]!.end), eventLoopTurns(10))
      yield* begin(readKey)
      yield* begin(readKey)
      yield* begin(writeKey)
      yield* begin(readKey)
      yield* end(0)
      yield* begin(readKey)
      yield* end(1)
      yield* end(2)
      expect(groups.map(({ names }) => names)).toEqual([["read"], ["read"], ["write"], ["read", "read"]])
      yield* end(3)
    }).pipe(Effect.scoped, Effect.runPromise))

  it("fails only the commits of a group whose guards do not hold", async () => {
    const results = await withStore((store) =>
      Effect.gen(function* () {
        yield* store.commit(put("taken"))
        const names = ["a", "taken", "b", "c", "taken", "d"]
        const exits = yield* Effect.forEach(names, (name) => Effect.exit(store.commit(put(name))), unbounded)
        return exits.map(Exit.isSuccess)
      })
    )
    expect(results).toEqual([true, false, true, true, false, true])
  })

  it("spends exactly the units that are left when a group asks for more", async () => {
    const spent = await withStore((store) =>
      Effect.gen(function* () {
        const exits = yield* Effect.forEach(
          Array.from({ length: 20 }, () => spend(1, 7)),
          (changes) => Effect.exit(store.commit(changes)),
          unbounded
        )
        const [[value]] = yield* store.read([{ _tag: "Counters", projectId: "prj_1" as never, names: ["allowance"] }])
        return [exits.filter(Exit.isSuccess).length, value]
      })
    )
    expect(spent).toEqual([7, 7])
  })

  it("dies of a value that the server refuses, without the value, and keeps the other commits of the group", async () => {
    const result = await withStore((store) =>
      Effect.gen(function* () {
        const [refused, kept] = yield* Effect.all(
          [
            Effect.exit(store.commit([{ _tag: "PutSetting", name: "bad", value: "secret \0 text" }])),
            Effect.exit(store.commit(put("good")))
          ],
          unbounded
        )
        const [bad, good] = yield* store.read([
          { _tag: "Setting", name: "bad" },
          { _tag: "Setting", name: "good" }
        ])
        return { refused: String(Exit.isFailure(refused) ? refused.cause : ""), kept: Exit.isSuccess(kept), bad, good }
      })
    )
    expect(result).toEqual({ refused: expect.stringContaining("22P05"), kept: true, bad: null, good: "x" })
    expect(result.refused).not.toContain("secret")
  })

  it("fails as unreachable while the server is down, and commits again after its restart", async () => {
    const watched = openWatched({ isInMemory: true })
    const server = await startPostgres(watched)
    try {
      const connectionString = server.urlOf(await server.createDatabase())
      const result = await Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const store = yield* PostgresMailStore.make({ connectionString })
            yield* store.commit(put("before"))
            yield* Effect.promise(() => server.kill())
            const failure = yield* Effect.flip(store.commit(put("during")))
            const readFailure = yield* Effect.flip(store.read([{ _tag: "Setting", name: "before" }]))
            yield* Effect.promise(() => server.start())
            yield* store.commit(put("after"))
            const values = yield* store.read([
              { _tag: "Setting", name: "before" },
              { _tag: "Setting", name: "after" }
            ])
            return { failure, readFailure, values }
          })
        )
      )
      expect(result).toMatchObject({
        failure: { _tag: "StoreUnavailable", reason: "unreachable" },
        readFailure: { _tag: "StoreUnavailable", reason: "unreachable" },
        values: ["x", "x"]
      })
    } finally {
      await watched.close()
    }
  })
})
