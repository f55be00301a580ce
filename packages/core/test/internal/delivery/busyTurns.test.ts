import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { makeBusyTurns } from "../../../src/internal/delivery/busyTurns.ts"

const withClock = <A>(test: Effect.Effect<A>) => Effect.runPromise(Effect.provide(test, TestClock.layer()))

const now = (claims: "all" | "handOffs") => ({ waitMillis: 0, claims })
const later = (waitMillis: number) => ({ waitMillis, claims: "handOffs" })

/** A dispatcher of 32 hand-offs whose first turn claimed so many. */
const afterClaimOf = (claimed: number) =>
  Effect.gen(function* () {
    const turns = makeBusyTurns(32)
    yield* turns.plan({ ended: 0, news: "claimable" })
    turns.record(claimed)
    return turns
  })

describe("makeBusyTurns", () => {
  it("claims everything in the first turn, then hand-offs alone", () =>
    withClock(
      Effect.gen(function* () {
        const turns = makeBusyTurns(32)
        expect(yield* turns.plan({ ended: 0, news: "none" })).toEqual(now("all"))
        turns.record(0)
        expect(yield* turns.plan({ ended: 0, news: "none" })).toEqual(now("handOffs"))
      })
    ))

  it("claims everything once more when another delivery is due", () =>
    withClock(
      Effect.gen(function* () {
        const turns = yield* afterClaimOf(0)
        turns.recordOtherDue()
        expect(yield* turns.plan({ ended: 0, news: "none" })).toEqual(now("all"))
        expect(yield* turns.plan({ ended: 0, news: "none" })).toEqual(now("handOffs"))
      })
    ))

  it("claims at once for new mail whose hand-off may start", () =>
    withClock(
      Effect.gen(function* () {
        const turns = yield* afterClaimOf(32)
        expect(yield* turns.plan({ ended: 0, news: "claimable" })).toEqual(now("handOffs"))
      })
    ))

  it("waits at most 10 ms until a quarter of the hand-offs has ended while there is a backlog", () =>
    withClock(
      Effect.gen(function* () {
        const turns = yield* afterClaimOf(32)
        expect(yield* turns.plan({ ended: 7, news: "none" })).toEqual(later(10))
        yield* TestClock.adjust("4 millis")
        expect(yield* turns.plan({ ended: 7, news: "ofFullProjects" })).toEqual(later(6))
        expect(yield* turns.plan({ ended: 8, news: "none" })).toEqual(now("handOffs"))
        turns.record(8)
        expect(yield* turns.plan({ ended: 9, news: "none" })).toEqual(later(10))
        yield* TestClock.adjust("10 millis")
        expect(yield* turns.plan({ ended: 9, news: "none" })).toEqual(now("handOffs"))
      })
    ))

  it("does not look for new mail of projects that may start no hand-off, until one has ended", () =>
    withClock(
      Effect.gen(function* () {
        const turns = yield* afterClaimOf(28)
        turns.record(0)
        yield* TestClock.adjust("30 millis")
        expect(yield* turns.plan({ ended: 0, news: "ofFullProjects" })).toEqual(later(470))
        expect(yield* turns.plan({ ended: 1, news: "ofFullProjects" })).toEqual(now("handOffs"))
      })
    ))

  it("does not claim again before a hand-off has ended or new mail has come", () =>
    withClock(
      Effect.gen(function* () {
        const turns = yield* afterClaimOf(3)
        yield* TestClock.adjust("60 millis")
        expect(yield* turns.plan({ ended: 0, news: "none" })).toEqual(later(440))
        expect(yield* turns.plan({ ended: 1, news: "none" })).toEqual(now("handOffs"))
      })
    ))

  it("looks for scheduled and abandoned deliveries every 500 ms", () =>
    withClock(
      Effect.gen(function* () {
        const turns = yield* afterClaimOf(32)
        yield* TestClock.adjust("499 millis")
        expect((yield* turns.plan({ ended: 9, news: "none" })).claims).toBe("handOffs")
        turns.record(32)
        yield* TestClock.adjust("1 millis")
        expect((yield* turns.plan({ ended: 0, news: "ofFullProjects" })).claims).toBe("all")
      })
    ))

  it("claims without a wait when only one hand-off runs at once", () =>
    withClock(
      Effect.gen(function* () {
        const turns = makeBusyTurns(1)
        yield* turns.plan({ ended: 0, news: "claimable" })
        turns.record(1)
        expect((yield* turns.plan({ ended: 1, news: "none" })).waitMillis).toBe(0)
      })
    ))
})
