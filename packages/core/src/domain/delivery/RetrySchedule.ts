/**
 * When a deferred delivery is retried, and when the retries stop. Source: decisions 0006 and 0022.
 */
import type { Instant } from "../value/Instant.ts"
import { dayMillis, hourMillis, minuteMillis } from "../value/Instant.ts"
import type { OptionRules } from "../value/OptionRule.ts"
import { wholeOption } from "../value/OptionRule.ts"

/** When the core stops trying to hand over a delivery, and how long it waits after an ambiguous attempt. */
export interface RetryPolicy {
  /** How long a delivery may stay in the queue. 0 ms to 366 days. */
  readonly lifetimeMillis: number
  /** The wait after an ambiguous attempt. 0 ms to 366 days. */
  readonly ambiguousWaitMillis: number
  /** The maximum number of retries after ambiguous attempts. 0 to 1,000. */
  readonly ambiguousRetriesMax: number
  /** The number of dead workers after which a delivery is not retried. 1 to 1,000. */
  readonly workerDeathsMax: number
}

export const retryRules: OptionRules<RetryPolicy> = {
  lifetimeMillis: wholeOption(0, 366 * dayMillis),
  ambiguousWaitMillis: wholeOption(0, 366 * dayMillis),
  ambiguousRetriesMax: wholeOption(0, 1000),
  workerDeathsMax: wholeOption(1, 1000)
}

export const defaultRetryPolicy: RetryPolicy = {
  lifetimeMillis: 72 * hourMillis,
  ambiguousWaitMillis: 10 * minuteMillis,
  ambiguousRetriesMax: 2,
  workerDeathsMax: 3
}

const firstWaits = [minuteMillis, 5 * minuteMillis]
const waitMillisMin = 5 * minuteMillis
const waitMillisMax = 4_000_000
const jitterShare = 0.15

/** Changes a wait by up to ±15 %. `jitter` is in [0, 1). */
const jittered = (waitMillis: number, jitter: number): number =>
  Math.round(waitMillis * (1 - jitterShare + 2 * jitterShare * jitter))

/**
 * Returns the wait after a deferral; `deferrals` counts it, so the first is 1. The first waits are 1 min and 5 min.
 * Later waits equal the time in the queue, limited to between 5 min and 4000 s. `jitter`, in [0, 1), changes the wait by up to ±15 %.
 */
export const retryWaitMillis = (deferrals: number, queuedMillis: number, jitter: number): number => {
  const wait = firstWaits[deferrals - 1] ?? Math.min(waitMillisMax, Math.max(waitMillisMin, queuedMillis))
  return jittered(wait, jitter)
}

/** Returns the wait while the relay is unreachable: a quarter of the time in the queue, limited to between 1 min and 4000 s. */
export const relayFaultWaitMillis = (queuedMillis: number, jitter: number): number =>
  jittered(Math.min(waitMillisMax, Math.max(minuteMillis, queuedMillis / 4)), jitter)

/** Returns the instant at which the retries of the delivery stop. */
export const lifetimeEnd = (policy: RetryPolicy, queuedAt: Instant, expiresAt: Instant | null): Instant =>
  Math.min(queuedAt + policy.lifetimeMillis, expiresAt ?? Number.POSITIVE_INFINITY)
