/**
 * Compares the wall clock with the monotonic clock, to notice when the wall clock was set forward or the machine was suspended.
 * Every lease and retention time then looks expired, although no worker died and little time passed. Source: decision 0035.
 */
import { Effect } from "effect"
import type { Moment } from "./moment.ts"
import { currentMoment } from "./moment.ts"

export interface ClockReading extends Moment {
  /** Monotonic milliseconds since the last jump of the wall clock that this detector noticed; `Infinity` without a jump. */
  readonly sinceJumpMillis: number
  /** Monotonic milliseconds since the first reading. */
  readonly watchedMillis: number
}

/** `toleranceMillis`: how far the wall clock may advance beyond the monotonic clock between two readings. */
export const makeClockJumpDetector = (toleranceMillis: number): Effect.Effect<ClockReading> => {
  let last: Moment | undefined
  let firstAt = 0
  let jumpedAt = Number.NEGATIVE_INFINITY
  return Effect.gen(function* () {
    const { now, monotonicMillis } = yield* currentMoment
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
