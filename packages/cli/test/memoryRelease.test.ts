import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { releaseMemory } from "../src/memoryRelease.ts"

it("collects garbage every 2 seconds while the process holds much memory, and not at rest", async () => {
  let held = 100 * 1024 * 1024
  let collections = 0
  const test = Effect.gen(function* () {
    const running = yield* Effect.forkChild(
      releaseMemory(() => ({ heldBytes: () => held, collect: () => void collections++ }))
    )
    yield* TestClock.adjust("10 seconds")
    expect(collections).toBe(0)
    held = 500 * 1024 * 1024
    yield* TestClock.adjust("6 seconds")
    expect(collections).toBe(3)
    held = 0
    yield* TestClock.adjust("1 minute")
    expect(collections).toBe(3)
    yield* Fiber.interrupt(running)
  })
  await Effect.runPromise(Effect.provide(test, TestClock.layer()))
})
