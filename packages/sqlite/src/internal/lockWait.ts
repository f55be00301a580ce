/**
 * How long a write waits for the lock of another connection. Loads no Effect, because the commit thread uses it too.
 */

/** A write waits so long, from its call until it fails, also when other writes wait before it. */
export const lockMillis = 5000

const nanosPerMilli = 1_000_000n

/** A clock that all threads of the process share, in milliseconds. */
export const monotonicMillis = (): number => Number(process.hrtime.bigint() / nanosPerMilli)
