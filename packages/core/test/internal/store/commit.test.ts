import { Deferred, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { Change } from "../../../src/domain/store/Change.ts"
import { Conflict } from "../../../src/domain/store/Conflict.ts"
import { StoreUnavailable } from "../../../src/index.ts"
import type { CommitPolicy } from "../../../src/internal/store/commit.ts"
import { makeCommit } from "../../../src/internal/store/commit.ts"
import type { MailStoreShape } from "../../../src/port/MailStore.ts"

const conflict = Effect.fail(new Conflict({ at: 0, change: "TransitionDelivery", reason: "Stale" }))
const unavailable = (reason: StoreUnavailable["reason"]) => Effect.fail(new StoreUnavailable({ reason }))
const change: Change = { _tag: "PutSetting", name: "a", value: "b" }

/** A store whose commits end as `outcomeOf` says for each commit, from 1. */
const scriptedStore = (outcomeOf: (commit: number) => Effect.Effect<void, Conflict | StoreUnavailable>) => {
  const committed: Array<ReadonlyArray<Change>> = []
  const commit = (changes: ReadonlyArray<Change>) =>
    Effect.suspend(() => {
      committed.push(changes)
      return outcomeOf(committed.length)
    })
  return { store: { commit } as Partial<MailStoreShape> as MailStoreShape, committed }
}

/** Commits with a policy, and advances the clock by one minute. `facts` has the facts of each try: the number of the load. */
const run = (policy: CommitPolicy, outcomeOf: (commit: number) => Effect.Effect<void, Conflict | StoreUnavailable>) => {
  const { store, committed } = scriptedStore(outcomeOf)
  const facts: Array<number> = []
  let loads = 0
  const load = Effect.sync(() => ++loads)
  const decide = (loaded: number) => {
    facts.push(loaded)
    return Result.succeed({ changes: [change], answer: `answer ${loaded}` })
  }
  return Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 10, 21))
    // The overloads of `Commit` need a literal policy.
    const committing = makeCommit(store)(load, decide, policy as "once")
    const writing = yield* Effect.forkChild(Effect.result(committing))
    for (let step = 0; step < 600; step++) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("100 millis")
    }
    const result = yield* Fiber.join(writing)
    return { commits: committed.length, facts, result: Result.isSuccess(result) ? result.success : result.failure }
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
}

const untilStored = { keepTryingMillis: 30_000 }

describe("makeCommit", () => {
  it.each<CommitPolicy>(["once", "bounded", untilStored])(
    "commits the changes of the decision and returns its answer, with the policy %j",
    async (policy) =>
      expect(await run(policy, () => Effect.void)).toEqual({ commits: 1, facts: [1], result: "answer 1" })
  )

  it.each<CommitPolicy>(["once", "bounded"])(
    "fails as the decision says and commits nothing, with the policy %j",
    async (policy) => {
      const { store, committed } = scriptedStore(() => Effect.void)
      const committing = makeCommit(store)(Effect.succeed(1), () => Result.fail("refused" as const), policy as "once")
      expect(await Effect.runPromise(Effect.flip(committing))).toBe("refused")
      expect(committed).toEqual([])
    }
  )

  it.each<CommitPolicy>(["once", "bounded"])(
    "fails when the facts cannot be loaded, with the policy %j",
    async (policy) => {
      const { store, committed } = scriptedStore(() => Effect.void)
      const committing = makeCommit(store)(
        unavailable("locked"),
        () => Result.succeed({ changes: [], answer: 1 }),
        policy as "once"
      )
      expect(await Effect.runPromise(Effect.flip(committing))).toMatchObject({ reason: "locked" })
      expect(committed).toEqual([])
    }
  )
})

describe("the commit policy once", () => {
  it("fails with the conflict when a guard does not hold", async () =>
    expect(await run("once", () => conflict)).toMatchObject({ commits: 1, result: { _tag: "Conflict" } }))
})

describe("the commit policy bounded", () => {
  it("loads and decides again after each conflict", async () =>
    expect(await run("bounded", (commit) => (commit < 4 ? conflict : Effect.void))).toEqual({
      commits: 4,
      facts: [1, 2, 3, 4],
      result: "answer 4"
    }))

  it("fails as contended after 256 commits when each commit meets a conflict", async () =>
    expect(await run("bounded", () => conflict)).toMatchObject({
      commits: 256,
      result: { _tag: "StoreUnavailable", reason: "contended" }
    }))

  it("fails at once when the store is unavailable", async () =>
    expect(await run("bounded", () => unavailable("full"))).toMatchObject({
      commits: 1,
      result: { _tag: "StoreUnavailable", reason: "full" }
    }))
})

describe("the commit policy untilStored", () => {
  it("fails after 512 commits when each commit meets a conflict", async () =>
    expect(await run(untilStored, () => conflict)).toMatchObject({
      commits: 512,
      result: { _tag: "NotStored", reason: "contended" }
    }))

  it("fails at its time limit when the store stays unavailable", async () =>
    // 50 ms doubled up to 5 s: 0.05 … 3.2 s, then every 5 s.
    expect(await run(untilStored, () => unavailable("full"))).toMatchObject({
      commits: 13,
      result: { _tag: "NotStored", reason: "full" }
    }))

  it.each(["closed", "moved", "newer_schema"] as const)(
    "fails at once when the store is unavailable for the reason %s",
    async (reason) =>
      expect(await run(untilStored, () => unavailable(reason))).toMatchObject({
        commits: 1,
        result: { _tag: "NotStored", reason }
      })
  )

  it("succeeds with fresh facts when the store recovers within the time limit", async () =>
    expect(await run(untilStored, (commit) => (commit <= 10 ? unavailable("unreachable") : Effect.void))).toMatchObject(
      { commits: 11, result: "answer 11" }
    ))

  it("finishes a commit that has begun when it is interrupted", () =>
    Effect.gen(function* () {
      const stored = yield* Deferred.make<void>()
      let isStored = false
      const { store } = scriptedStore(() => Effect.map(Deferred.await(stored), () => void (isStored = true)))
      const committing = makeCommit(store)(Effect.void, () => Result.succeed({ changes: [], answer: 1 }), untilStored)
      const writing = yield* Effect.forkChild(committing)
      yield* Effect.yieldNow
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(writing))
      yield* Effect.yieldNow
      yield* Deferred.succeed(stored, undefined)
      yield* Fiber.join(interrupting)
      expect(isStored).toBe(true)
    }).pipe(Effect.runPromise))

  it("ends at once when it is interrupted during a pause", () =>
    Effect.gen(function* () {
      const { store, committed } = scriptedStore(() => unavailable("full"))
      const committing = makeCommit(store)(Effect.void, () => Result.succeed({ changes: [], answer: 1 }), {
        keepTryingMillis: 30_000
      })
      const writing = yield* Effect.forkChild(committing)
      yield* TestClock.adjust("10 seconds")
      const commits = committed.length
      yield* Fiber.interrupt(writing)
      yield* TestClock.adjust("1 minute")
      expect(committed).toHaveLength(commits)
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))
})
