import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { SenderTurn } from "../../../src/internal/event/senderPause.ts"
import { makeSenderPause } from "../../../src/internal/event/senderPause.ts"

const withClock = <A>(test: Effect.Effect<A>) => Effect.runPromise(Effect.provide(test, TestClock.layer()))

const turn = { isPaused: false, waitingSubscribers: 1 }
const batch = { distributed: 3, eventDeliveries: 3, isContended: false, isFull: false }
const conflictBatch = { ...batch, distributed: 0, eventDeliveries: 0, isContended: true }
const alone: SenderTurn = { ...turn, batch }
const conflict: SenderTurn = { ...turn, batch: conflictBatch }
const emptyBatch = { ...batch, distributed: 0, eventDeliveries: 0 }
/** The events have no subscriber, and no event delivery waits. */
const withoutSubscriber: SenderTurn = { ...turn, batch: { ...batch, eventDeliveries: 0 }, waitingSubscribers: 0 }

describe("makeSenderPause", () => {
  it("does not pause while no other process distributes the same events", () =>
    withClock(
      Effect.gen(function* () {
        const { distributionMillis, record } = makeSenderPause()
        expect(yield* distributionMillis).toBe(0)
        yield* record(alone)
        expect(yield* distributionMillis).toBe(0)
      })
    ))

  it("ends a pause of the distribution after 25 ms", () =>
    withClock(
      Effect.gen(function* () {
        const { distributionMillis, record } = makeSenderPause()
        yield* record(conflict)
        yield* TestClock.adjust("24 millis")
        expect(yield* distributionMillis).toBe(1)
        yield* TestClock.adjust("1 millis")
        expect(yield* distributionMillis).toBe(0)
      })
    ))

  it("pauses twice as long after each conflict in a row, at most 200 ms", () =>
    withClock(
      Effect.gen(function* () {
        const { distributionMillis, record } = makeSenderPause()
        const pauses: Array<number> = []
        for (let n = 0; n < 5; n++) {
          yield* record(conflict)
          pauses.push(yield* distributionMillis)
        }
        expect(pauses).toEqual([25, 50, 100, 200, 200])
      })
    ))

  it("begins with the short pause again after a distribution without a conflict", () =>
    withClock(
      Effect.gen(function* () {
        const { distributionMillis, record } = makeSenderPause()
        for (const one of [conflict, conflict, alone, conflict]) yield* record(one)
        expect(yield* distributionMillis).toBe(25)
      })
    ))

  it("keeps its length while turns leave the distribution to the other process", () =>
    withClock(
      Effect.gen(function* () {
        const { distributionMillis, record } = makeSenderPause()
        for (const one of [conflict, { ...alone, isPaused: true }, conflict]) yield* record(one)
        expect(yield* distributionMillis).toBe(50)
      })
    ))

  it("lets the next turn wait 25 ms after events without a subscriber", () =>
    withClock(
      Effect.gen(function* () {
        const { turnMillis, record } = makeSenderPause()
        yield* record(withoutSubscriber)
        expect(yield* turnMillis).toBe(25)
        yield* TestClock.adjust("25 millis")
        expect(yield* turnMillis).toBe(0)
      })
    ))

  it.each<[string, SenderTurn, number]>([
    ["has nothing to send while another process distributes", { ...conflict, waitingSubscribers: 0 }, 25],
    ["finds no event", { ...withoutSubscriber, batch: emptyBatch }, 0],
    ["makes an event delivery", { ...withoutSubscriber, batch: { ...batch, eventDeliveries: 1 } }, 0],
    ["leaves more events behind", { ...withoutSubscriber, batch: { ...withoutSubscriber.batch, isFull: true } }, 0],
    ["finds event deliveries that wait", { ...withoutSubscriber, waitingSubscribers: 1 }, 0]
  ])("lets the next turn wait after one that %s as long as nothing can be sent", (_, one, millis) =>
    withClock(
      Effect.gen(function* () {
        const { turnMillis, record } = makeSenderPause()
        yield* record(one)
        expect(yield* turnMillis).toBe(millis)
      })
    )
  )

  it("lets the next turn wait until the pause ends, after one that leaves the distribution to another process", () =>
    withClock(
      Effect.gen(function* () {
        const { turnMillis, record } = makeSenderPause()
        const paused: SenderTurn = { ...withoutSubscriber, isPaused: true, batch: emptyBatch }
        for (const one of [conflict, conflict]) yield* record(one)
        yield* record(paused)
        expect(yield* turnMillis).toBe(25)
        yield* TestClock.adjust("40 millis")
        yield* record(paused)
        expect(yield* turnMillis).toBe(10)
      })
    ))
})
