/**
 * The arithmetic of a rate limit: a token bucket that refills at a constant rate.
 */
import type { Instant } from "../value/Instant.ts"

/** Allows `requests` in `windowMillis`. The capacity of the bucket is `requests`. */
export interface BucketLimit {
  readonly requests: number
  readonly windowMillis: number
}

/** The tokens of a bucket at one time. */
export interface Bucket {
  /** Below zero after a batch that took more tokens than the bucket had. */
  readonly tokens: number
  readonly at: Instant
}

/** A bucket after a request, and what the caller learns. */
export interface BucketState {
  readonly bucket: Bucket
  readonly allowed: boolean
  /** The number of whole requests that are left. */
  readonly remaining: number
  /** The seconds until the bucket is full, rounded up. */
  readonly resetSeconds: number
  /** The seconds until the next request is allowed, rounded up. 0 if it is allowed now, otherwise at least 1. */
  readonly retryAfterSeconds: number
}

/** The bucket of a limit before its first request. */
export const fullBucket = (limit: BucketLimit, now: Instant): Bucket => ({ tokens: limit.requests, at: now })

/** If the clock moved backwards, the number of tokens does not change. The bucket then refills from the new time. */
const refilled = (bucket: Bucket, limit: BucketLimit, now: Instant): number => {
  const elapsed = Math.max(0, now - bucket.at)
  return Math.min(limit.requests, bucket.tokens + (elapsed * limit.requests) / limit.windowMillis)
}

/** The state of a bucket with `left` tokens. A bucket with fewer than zero tokens shows zero requests. */
const stateOf = (left: number, limit: BucketLimit, now: Instant, allowed: boolean, missingMillis: number) => ({
  bucket: { tokens: left, at: now },
  allowed,
  remaining: Math.max(0, Math.floor(left + 1e-9)),
  resetSeconds: Math.ceil(((limit.requests - left) * limit.windowMillis) / limit.requests / 1000),
  retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil(missingMillis / 1000))
})

/** How long the bucket needs to have one token. */
const missingMillisOf = (tokens: number, limit: BucketLimit): number =>
  (Math.max(0, 1 - tokens) * limit.windowMillis) / limit.requests

/** Computes the state of a bucket. If `take` is 1 and a token is available, takes the token. */
export const drawToken = (bucket: Bucket, limit: BucketLimit, now: Instant, take: 0 | 1): BucketState => {
  const tokens = refilled(bucket, limit, now)
  // Rounding errors can give 0.999… tokens. A token is available if less than a millisecond is missing.
  const missingMillis = missingMillisOf(tokens, limit)
  const allowed = missingMillis < 1
  return stateOf(allowed && take === 1 ? Math.max(0, tokens - 1) : tokens, limit, now, allowed, missingMillis)
}

/**
 * Computes the state of a bucket after a request that needs `more` tokens besides the one that it has drawn. The bucket may then have fewer than
 * zero tokens, and refills from there. A bucket that already has fewer than zero tokens allows no such request, and nothing is taken.
 */
export const drawMore = (bucket: Bucket, limit: BucketLimit, now: Instant, more: number): BucketState => {
  const tokens = refilled(bucket, limit, now)
  const allowed = tokens > -1e-9
  return stateOf(allowed ? tokens - more : tokens, limit, now, allowed, missingMillisOf(tokens, limit))
}
