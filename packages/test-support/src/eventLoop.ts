/**
 * The event loop of a test, whose clock passes only when the test says so.
 */
import type { Fiber } from "effect"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

/**
 * Lets turns of the event loop pass. A commit takes one turn, and a turn of a dispatcher has up to six. After the default of 20, every fiber waits
 * for the clock.
 */
export const eventLoopTurns = (count = 20): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
  })

/** Lets the time pass. Returns whether the fiber has ended then. */
export const hasEndedAfter = (fiber: Fiber.Fiber<unknown, unknown>, millis: number): Effect.Effect<boolean> =>
  eventLoopTurns(10).pipe(
    Effect.andThen(TestClock.adjust(millis)),
    Effect.andThen(eventLoopTurns(10)),
    Effect.map(() => fiber.pollUnsafe() !== undefined)
  )
