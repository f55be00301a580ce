/**
 * Compares the wall clock with the monotonic clock, to notice that the wall clock was set ahead or that the machine was suspended: then every
 * lease and every retention looks past its end, although no worker died and little time passed. Source: decision 0035.
 */
import { Clock, Effect } from "effect"
import type { Instant } from "../domain/Instant.ts"

export interface ClockReading {
  readonly now: Instant
  /** Monotonic milliseconds; comparable with other readings of this process alone. */
  readonly monotonicMillis: number
  /** Monotonic milliseconds since the wall clock last jumped ahead, as far as it was watched; `Infinity` when it never did. */
  readonly sinceJumpMillis: number
  /** Monotonic milliseconds since the first reading. */
  readonly watchedMillis: number
}

/** `toleranceMillis` is how much further than the monotonic clock the wall clock may go between two readings. */
export const makeClockWatch = (toleranceMillis: number): Effect.Effect<ClockReading> => {
  let last: { readonly now: Instant; readonly monotonicMillis: number } | undefined
  let firstAt = 0
  let jumpedAt = Number.NEGATIVE_INFINITY
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const monotonicMillis = Number((yield* Clock.monotonicTimeNanos) / 1_000_000n)
    if (last === undefined) firstAt = monotonicMillis
    else if (now - last.now - (monotonicMillis - last.monotonicMillis) > toleranceMillis) jumpedAt = monotonicMillis
    last = { now, monotonicMillis }
    return {
      now,
      monotonicMillis,
      sinceJumpMillis: monotonicMillis - jumpedAt,
      watchedMillis: monotonicMillis - firstAt
    }
  })
}
