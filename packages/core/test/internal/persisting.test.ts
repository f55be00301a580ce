import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Conflict, StoreUnavailable } from "../../src/index.ts"
import { persisting } from "../../src/internal/persisting.ts"

const conflict = Effect.fail(new Conflict({ at: 0, change: "MoveDelivery", reason: "Stale" }))
const unavailable = (reason: StoreUnavailable["reason"]) => Effect.fail(new StoreUnavailable({ reason }))

/** The result of a commit that must be stored within 30 s, after at most a minute, and how often it was tried. */
const persisted = (once: Effect.Effect<string, Conflict | StoreUnavailable>) =>
  Effect.gen(function* () {
    let commits = 0
    const counted = Effect.suspend(() => (commits++, once))
    const writing = yield* Effect.forkChild(Effect.result(persisting(counted, 30_000)))
    for (let step = 0; step < 600; step++) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("100 millis")
    }
    const result = yield* Fiber.join(writing)
    return { commits, result: Result.isSuccess(result) ? result.success : result.failure.reason }
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

describe("persisting", () => {
  it("gives up after 512 commits when every one meets a conflict", async () =>
    expect(await persisted(conflict)).toEqual({ commits: 512, result: "contended" }))

  it("gives up at its bound when the store stays unavailable", async () =>
    // 50 ms doubled up to 5 s: 0.05 … 3.2 s, then every 5 s.
    expect(await persisted(unavailable("full"))).toEqual({ commits: 13, result: "full" }))

  it("gives up at once when the store is closed", async () =>
    expect(await persisted(unavailable("closed"))).toEqual({ commits: 1, result: "closed" }))

  it("succeeds when the store comes back within the bound", async () => {
    let failures = 10
    const once = Effect.suspend(() => (failures-- > 0 ? unavailable("unreachable") : Effect.succeed("stored")))
    expect(await persisted(once)).toEqual({ commits: 11, result: "stored" })
  })

  it("ends at once when it is interrupted during a pause", () =>
    Effect.gen(function* () {
      const writing = yield* Effect.forkChild(persisting(unavailable("full"), 30_000))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.interrupt(writing)
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))
})
