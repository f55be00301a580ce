import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { releaseMemory } from "../src/memoryRelease.ts"

const mebibyte = 1024 * 1024

/** A process whose memory shrinks to 40 MiB when everything is collected while nothing uses it. */
const scriptedProcess = () => {
  const state = {
    allocated: 60 * mebibyte,
    cpuMillis: 0,
    busyMillisPerRead: 0,
    collectMillis: 50,
    collected: [] as Array<string>
  }
  const memory = () => ({
    allocatedBytes: () => state.allocated,
    cpuMillis: () => (state.cpuMillis += state.busyMillisPerRead),
    collect: (extent: "garbage" | "all") => {
      state.collected.push(extent)
      if (extent === "all") state.allocated = Math.min(state.allocated, 40 * mebibyte)
      return state.collectMillis
    }
  })
  return { state, memory }
}

const run = (test: Effect.Effect<void>) => Effect.runPromise(Effect.provide(test, TestClock.layer()))

it("collects garbage every second while the process is busy and uses much memory", () => {
  const { state, memory } = scriptedProcess()
  state.busyMillisPerRead = 1000
  return run(
    Effect.gen(function* () {
      const running = yield* Effect.forkChild(releaseMemory(memory))
      yield* TestClock.adjust("10 seconds")
      expect(state.collected).toEqual([])
      state.allocated = 500 * mebibyte
      yield* TestClock.adjust("3 seconds")
      expect(state.collected).toEqual(["garbage", "garbage", "garbage"])
      yield* Fiber.interrupt(running)
    })
  )
})

it("collects less often when a collection takes long", () => {
  const { state, memory } = scriptedProcess()
  Object.assign(state, { busyMillisPerRead: 1000, allocated: 500 * mebibyte, collectMillis: 300 })
  return run(
    Effect.gen(function* () {
      const running = yield* Effect.forkChild(releaseMemory(memory))
      yield* TestClock.adjust("16 seconds")
      expect(state.collected).toEqual(["garbage", "garbage", "garbage", "garbage"])
      yield* Fiber.interrupt(running)
    })
  )
})

it("collects everything once when the process is idle, after its start and after each burst", () => {
  const { state, memory } = scriptedProcess()
  return run(
    Effect.gen(function* () {
      const running = yield* Effect.forkChild(releaseMemory(memory))
      yield* TestClock.adjust("1 minute")
      expect(state.collected).toEqual(["all"])
      state.busyMillisPerRead = 1000
      state.allocated = 90 * mebibyte
      yield* TestClock.adjust("10 seconds")
      expect(state.collected).toEqual(["all"])
      state.busyMillisPerRead = 0
      yield* TestClock.adjust("1 minute")
      expect(state.collected).toEqual(["all", "all"])
      yield* Fiber.interrupt(running)
    })
  )
})
