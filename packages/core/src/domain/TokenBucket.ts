/**
 * The arithmetic of a rate limit: a bucket of tokens that refills evenly.
 */
import type { Instant } from "./Instant.ts"

/** `requests` in `windowMillis`; the bucket holds `requests`. */
export interface BucketLimit {
  readonly requests: number
  readonly windowMillis: number
}

export interface Bucket {
  readonly tokens: number
  readonly at: Instant
}

export interface BucketState {
  readonly bucket: Bucket
  readonly allowed: boolean
  /** Whole requests left. */
  readonly remaining: number
  /** Until the bucket is full again, rounded up. */
  readonly resetSeconds: number
  /** Until one more request is allowed, rounded up; 0 when it is allowed now, else at least 1. */
  readonly retryAfterSeconds: number
}

export const fullBucket = (limit: BucketLimit, now: Instant): Bucket => ({ tokens: limit.requests, at: now })

/** A clock that was set back refills nothing and takes nothing; from then on the bucket refills by the clock as it is. */
const refilled = (bucket: Bucket, limit: BucketLimit, now: Instant): number => {
  const elapsed = Math.max(0, now - bucket.at)
  return Math.min(limit.requests, bucket.tokens + (elapsed * limit.requests) / limit.windowMillis)
}

/** Looks at a bucket and, when `take` is 1 and a token is there, takes it. */
export const drawToken = (bucket: Bucket, limit: BucketLimit, now: Instant, take: 0 | 1): BucketState => {
  const tokens = refilled(bucket, limit, now)
  // Refilling by fractions may leave 0.999…; a token is there when less than a millisecond is missing.
  const missing = Math.max(0, 1 - tokens)
  const missingMillis = (missing * limit.windowMillis) / limit.requests
  const allowed = missingMillis < 1
  const left = allowed && take === 1 ? Math.max(0, tokens - 1) : tokens
  return {
    bucket: { tokens: left, at: now },
    allowed,
    remaining: Math.floor(left + 1e-9),
    resetSeconds: Math.ceil(((limit.requests - left) * limit.windowMillis) / limit.requests / 1000),
    retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil(missingMillis / 1000))
  }
}
