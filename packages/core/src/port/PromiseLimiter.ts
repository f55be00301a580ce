/**
 * The rate-limiter port for authors who do not use Effect: the same contract, as plain async functions.
 */
import { Layer } from "effect"
import type { Instant } from "../domain/value/Instant.ts"
import { StoreUnavailable } from "./MailStore.ts"
import { promised } from "./promised.ts"
import type { BucketRefs, RateDecision } from "./RateLimiter.ts"
import { RateLimiter } from "./RateLimiter.ts"

/**
 * A rate limiter as async functions, with the contract of `RateLimiter`. The `signal` is aborted when nobody waits for the answer any more, also
 * after the 10 s that the core waits. Reject with a `StoreUnavailable` when the limiter cannot decide now. Any other rejection counts as a defect of the
 * adapter, and the request fails as by a bug.
 */
export interface PromiseLimiter {
  /** Takes one token from every bucket. Takes none when one of the buckets is empty. */
  readonly take: (buckets: BucketRefs, now: Instant, signal: AbortSignal) => Promise<RateDecision>
  /** Takes `more` tokens from every bucket, also more than it has; see `takeMore` of `RateLimiter`. */
  readonly takeMore: (buckets: BucketRefs, more: number, now: Instant, signal: AbortSignal) => Promise<RateDecision>
}

const isFailure = (cause: unknown): cause is StoreUnavailable => cause instanceof StoreUnavailable

/** Makes the layer of a rate limiter. */
export const limiterFromPromises = (limiter: PromiseLimiter): Layer.Layer<RateLimiter> =>
  Layer.succeed(RateLimiter, {
    take: (buckets, now) => promised((signal) => limiter.take(buckets, now, signal), isFailure),
    takeMore: (buckets, more, now) => promised((signal) => limiter.takeMore(buckets, more, now, signal), isFailure)
  })
