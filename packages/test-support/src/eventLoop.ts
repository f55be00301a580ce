/**
 * The event loop of a test, whose clock passes only when the test says so.
 */
import { Effect } from "effect"

/**
 * Lets turns of the event loop pass. A commit takes one turn, and a turn of a dispatcher has up to six. After the default of 20, every fiber waits
 * for the clock.
 */
export const eventLoopTurns = (count = 20): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
  })
