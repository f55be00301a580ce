/**
 * Wakes the loops of this process after a commit, also when the caller no longer waits for the commit.
 */
import type { Scope } from "effect"
import { Effect, Schedule } from "effect"

/** The first pause is 100 ms, and each later one is twice as long: 12.7 s together. A loop then looks by itself. */
const lateWakeUps = { schedule: Schedule.exponential("100 millis"), times: 7 }

/**
 * Runs `wake` after the commit. When the caller is interrupted, the store may apply the commit a moment later without an answer. `wake` then runs several
 * times in the scope.
 */
export const wakeAfterCommit =
  (wake: Effect.Effect<void>, scope: Scope.Scope) =>
  <A, E>(commit: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    commit.pipe(
      Effect.tap(() => wake),
      Effect.onInterrupt(() => Effect.forkIn(Effect.repeat(wake, lateWakeUps), scope))
    )
