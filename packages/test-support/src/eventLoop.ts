/**
 * The event loop of a test, whose clock passes only when the test says so.
 */
import { Effect } from "effect"

/**
 * Lets turns of the event loop pass. A commit to a store of these tests takes one turn, and a turn of a dispatcher up to six, so that after the default
 * of 20 every fiber waits for the clock.
 */
export const eventLoopTurns = (count = 20): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
  })
