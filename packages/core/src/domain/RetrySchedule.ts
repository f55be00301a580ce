/**
 * When a deferred delivery is tried again, and when it is given up. Source: decisions 0006 and 0022.
 */
import type { Instant } from "./Instant.ts"
import { hourMillis, minuteMillis } from "./Instant.ts"

export interface RetryPolicy {
  /** How long a delivery may stay in the queue. */
  readonly lifetimeMillis: number
  /** The wait after a hand-off that ended without an answer after the final dot. */
  readonly ambiguousWaitMillis: number
  /** How often such a hand-off is tried again. */
  readonly ambiguousRetriesMax: number
  /** How many workers may die over one delivery. */
  readonly crashesMax: number
}

export const defaultRetryPolicy: RetryPolicy = {
  lifetimeMillis: 72 * hourMillis,
  ambiguousWaitMillis: 10 * minuteMillis,
  ambiguousRetriesMax: 2,
  crashesMax: 3
}

const firstWaits = [minuteMillis, 5 * minuteMillis]
const waitMillisMin = 5 * minuteMillis
const waitMillisMax = 4_000_000
const jitterShare = 0.15

/**
 * The wait after the `deferrals`-th temporary refusal (from 1): 1 min, 5 min, then the time in the queue, kept within 5 min and
 * 4000 s; moved by up to 15 % either way. `jitter` is within [0, 1).
 */
export const retryWaitMillis = (deferrals: number, queuedMillis: number, jitter: number): number => {
  const wait = firstWaits[deferrals - 1] ?? Math.min(waitMillisMax, Math.max(waitMillisMin, queuedMillis))
  return Math.round(wait * (1 - jitterShare + 2 * jitterShare * jitter))
}

/** The wait while the relay itself is out of reach: a quarter of the time in the queue, kept within 1 min and 4000 s. */
export const destinationWaitMillis = (queuedMillis: number, jitter: number): number =>
  Math.round(Math.min(waitMillisMax, Math.max(minuteMillis, queuedMillis / 4)) * (1 + jitterShare * (2 * jitter - 1)))

/** A number within [0, 1) that is always the same for one delivery and attempt, so that a retried decision does not change. */
export const jitterOf = (id: string, attempt: number): number => {
  let hash = 0x811c9dc5 ^ attempt
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193)
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32
}

/** The instant after which the delivery is given up. */
export const lifetimeEnd = (policy: RetryPolicy, queuedAt: Instant, expiresAt: Instant | null): Instant =>
  Math.min(queuedAt + policy.lifetimeMillis, expiresAt ?? Number.POSITIVE_INFINITY)
