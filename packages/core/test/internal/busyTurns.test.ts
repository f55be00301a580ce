import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { makeBusyTurns } from "../../src/internal/busyTurns.ts"

const withClock = <A>(test: Effect.Effect<A>) => Effect.runPromise(Effect.provide(test, TestClock.layer()))

describe("makeBusyTurns", () => {
  it("claims everything at once while nothing was claimed before", () =>
    withClock(
      Effect.gen(function* () {
        const turns = makeBusyTurns(32)
        expect(yield* turns.plan(1)).toEqual({ waitMillis: 0, only: "all" })
        turns.record(0)
        expect(yield* turns.plan(1)).toEqual({ waitMillis: 0, only: "all" })
      })
    ))

  it("waits at most 10 ms for a quarter of the hand-offs while there is a backlog", () =>
    withClock(
      Effect.gen(function* () {
        const turns = makeBusyTurns(32)
        yield* turns.plan(32)
        turns.record(32)
        expect(yield* turns.plan(7)).toEqual({ waitMillis: 10, only: "handOffs" })
        yield* TestClock.adjust("4 millis")
        expect(yield* turns.plan(7)).toEqual({ waitMillis: 6, only: "handOffs" })
        expect(yield* turns.plan(8)).toEqual({ waitMillis: 0, only: "handOffs" })
        turns.record(8)
        yield* TestClock.adjust("10 millis")
        expect(yield* turns.plan(1)).toEqual({ waitMillis: 0, only: "handOffs" })
      })
    ))

  it("looks for scheduled and abandoned deliveries every 100 ms, also with a backlog", () =>
    withClock(
      Effect.gen(function* () {
        const turns = makeBusyTurns(32)
        yield* turns.plan(32)
        turns.record(32)
        yield* TestClock.adjust("99 millis")
        expect((yield* turns.plan(32)).only).toBe("handOffs")
        turns.record(32)
        yield* TestClock.adjust("1 millis")
        expect((yield* turns.plan(1)).only).toBe("all")
      })
    ))

  it("claims without a wait when only one hand-off runs at once", () =>
    withClock(
      Effect.gen(function* () {
        const turns = makeBusyTurns(1)
        yield* turns.plan(1)
        turns.record(1)
        expect((yield* turns.plan(1)).waitMillis).toBe(0)
      })
    ))
})
