import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { releaseMemory } from "../src/memoryRelease.ts"

it("collects garbage every 2 seconds while the process uses much memory, and not while it is idle", async () => {
  let allocated = 100 * 1024 * 1024
  let collections = 0
  const test = Effect.gen(function* () {
    const running = yield* Effect.forkChild(
      releaseMemory(() => ({ allocatedBytes: () => allocated, collect: () => void collections++ }))
    )
    yield* TestClock.adjust("10 seconds")
    expect(collections).toBe(0)
    allocated = 500 * 1024 * 1024
    yield* TestClock.adjust("6 seconds")
    expect(collections).toBe(3)
    allocated = 0
    yield* TestClock.adjust("1 minute")
    expect(collections).toBe(3)
    yield* Fiber.interrupt(running)
  })
  await Effect.runPromise(Effect.provide(test, TestClock.layer()))
})
