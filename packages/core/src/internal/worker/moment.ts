/**
 * Moments by both clocks of a process: the monotonic clock may stop during a suspension, and the wall clock may be set back.
 */
import { Clock, Effect } from "effect"
import type { Instant } from "../../domain/value/Instant.ts"

/** A time by both clocks. */
export interface Moment {
  /** The wall clock: milliseconds since 1970 (UTC). */
  readonly now: Instant
  /** Monotonic milliseconds. Comparable only with other moments of this process. */
  readonly monotonicMillis: number
}

/** Whole milliseconds of the monotonic clock. */
export const monotonicMillis: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, (nanos) =>
  Number(nanos / 1_000_000n)
)

export const currentMoment: Effect.Effect<Moment> = Effect.zipWith(
  Clock.currentTimeMillis,
  monotonicMillis,
  (now, monotonic) => ({ now, monotonicMillis: monotonic })
)

/** How many milliseconds lie between two moments, by the clock that advanced more. */
export const millisBetween = (from: Moment, to: Moment): number =>
  Math.max(to.now - from.now, to.monotonicMillis - from.monotonicMillis)
