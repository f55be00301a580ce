import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { makeDistributionPause } from "../../src/internal/distributionPause.ts"

const withClock = <A>(test: Effect.Effect<A>) => Effect.runPromise(Effect.provide(test, TestClock.layer()))

const alone = { distributed: 3, isContended: false }
const conflict = { distributed: 0, isContended: true }

describe("makeDistributionPause", () => {
  it("does not pause while no other process distributes the same events", () =>
    withClock(
      Effect.gen(function* () {
        const { millis, record } = makeDistributionPause()
        expect(yield* millis).toBe(0)
        yield* record(alone)
        expect(yield* millis).toBe(0)
      })
    ))

  it("ends after its time", () =>
    withClock(
      Effect.gen(function* () {
        const { millis, record } = makeDistributionPause()
        yield* record(conflict)
        yield* TestClock.adjust("24 millis")
        expect(yield* millis).toBe(1)
        yield* TestClock.adjust("1 millis")
        expect(yield* millis).toBe(0)
      })
    ))

  it("pauses twice as long after each conflict in a row, at most 200 ms", () =>
    withClock(
      Effect.gen(function* () {
        const { millis, record } = makeDistributionPause()
        const pauses: Array<number> = []
        for (let n = 0; n < 5; n++) {
          yield* record(conflict)
          pauses.push(yield* millis)
        }
        expect(pauses).toEqual([25, 50, 100, 200, 200])
      })
    ))

  it("begins with the short pause again after a distribution without a conflict", () =>
    withClock(
      Effect.gen(function* () {
        const { millis, record } = makeDistributionPause()
        for (const batch of [conflict, conflict, alone, conflict]) yield* record(batch)
        expect(yield* millis).toBe(25)
      })
    ))
})
