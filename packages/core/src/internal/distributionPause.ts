/**
 * Leaves the distribution of events to another process for a while after both have distributed the same ones. Otherwise several processes repeat the
 * same work for every event, and all but one of their commits are refused.
 */
import { Effect } from "effect"
import type { DistributedBatch } from "./eventDistribution.ts"
import { monotonicMillis } from "./moment.ts"

/** The first pause. Each further one in a row takes twice as long. */
const pauseMillisMin = 25
/** The other process may end at any time, so no event waits longer than this. */
const pauseMillisMax = 200

export interface DistributionPause {
  /** How long the pause still lasts; 0 without one. */
  readonly millis: Effect.Effect<number>
  /** Records whether another process distributed the same events, which begins a pause. */
  readonly record: (batch: DistributedBatch) => Effect.Effect<void>
}

export const makeDistributionPause = (): DistributionPause => {
  let nextPause = pauseMillisMin
  let until = Number.NEGATIVE_INFINITY
  return {
    millis: Effect.map(monotonicMillis, (now) => Math.max(0, until - now)),
    record: ({ isContended }) =>
      Effect.map(monotonicMillis, (now) => {
        if (isContended) until = now + nextPause
        nextPause = isContended ? Math.min(pauseMillisMax, 2 * nextPause) : pauseMillisMin
      })
  }
}
