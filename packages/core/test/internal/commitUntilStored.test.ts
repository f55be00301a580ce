import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Conflict, StoreUnavailable } from "../../src/index.ts"
import { commitUntilStored } from "../../src/internal/commitUntilStored.ts"

const conflict = Effect.fail(new Conflict({ at: 0, change: "MoveDelivery", reason: "Stale" }))
const unavailable = (reason: StoreUnavailable["reason"]) => Effect.fail(new StoreUnavailable({ reason }))

/** The result of a commit with a time limit of 30 s, and the number of its tries. Advances the clock by one minute. */
const resultOf = (once: Effect.Effect<string, Conflict | StoreUnavailable>) =>
  Effect.gen(function* () {
    let commits = 0
    const counted = Effect.suspend(() => (commits++, once))
    const writing = yield* Effect.forkChild(Effect.result(commitUntilStored(counted, 30_000)))
    for (let step = 0; step < 600; step++) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("100 millis")
    }
    const result = yield* Fiber.join(writing)
    return { commits, result: Result.isSuccess(result) ? result.success : result.failure.reason }
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

describe("commitUntilStored", () => {
  it("fails after 512 commits when each commit meets a conflict", async () =>
    expect(await resultOf(conflict)).toEqual({ commits: 512, result: "contended" }))

  it("fails at its time limit when the store stays unavailable", async () =>
    // 50 ms doubled up to 5 s: 0.05 … 3.2 s, then every 5 s.
    expect(await resultOf(unavailable("full"))).toEqual({ commits: 13, result: "full" }))

  it("fails at once when the store is closed", async () =>
    expect(await resultOf(unavailable("closed"))).toEqual({ commits: 1, result: "closed" }))

  it("succeeds when the store recovers within the time limit", async () => {
    let failures = 10
    const once = Effect.suspend(() => (failures-- > 0 ? unavailable("unreachable") : Effect.succeed("stored")))
    expect(await resultOf(once)).toEqual({ commits: 11, result: "stored" })
  })

  it("ends at once when it is interrupted during a pause", () =>
    Effect.gen(function* () {
      const writing = yield* Effect.forkChild(commitUntilStored(unavailable("full"), 30_000))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.interrupt(writing)
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))
})
