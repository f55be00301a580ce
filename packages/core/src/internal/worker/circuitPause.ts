/**
 * Pauses of a circuit breaker: their lengths, and when one ends.
 */
import type { Instant } from "../../domain/value/Instant.ts"
import { minuteMillis, secondMillis } from "../../domain/value/Instant.ts"

const pauseMillisMax = minuteMillis

/** Returns the length of a pause: 1 s for the first, then twice as long for each further one in a row, at most 1 min. */
export const pauseMillis = (earlierPauses: number): number =>
  Math.min(pauseMillisMax, secondMillis * 2 ** Math.min(earlierPauses, 30))

/** The end of the pause; 0 without one, after its end, and when the clock was set back after the pause began. */
export const pauseEnd = (pausedUntil: Instant, now: Instant): Instant =>
  pausedUntil - now > pauseMillisMax || pausedUntil <= now ? 0 : pausedUntil
