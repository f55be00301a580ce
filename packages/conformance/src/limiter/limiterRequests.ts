/**
 * The requests that the laws of the rate limiter make.
 */
import type { BucketRef, BucketRefs, RateDecision, RateLimiter } from "@mailkeep/core/adapter"
import { minuteMillis } from "@mailkeep/core/adapter"
import { Effect } from "effect"

/** When the laws begin. */
export const start = 1_900_000_000_000

/** The bucket of a project that allows `requests` in a minute. */
export const projectBucket = (requests: number, id = "prj_a"): BucketRef => ({
  scope: "project",
  id,
  limit: { requests, windowMillis: minuteMillis }
})

/** The bucket of an API key that allows `requests` in a minute. */
export const apiKeyBucket = (requests: number, id = "key_a"): BucketRef => ({
  ...projectBucket(requests, id),
  scope: "api_key"
})

export const allowedAmong = (decisions: ReadonlyArray<RateDecision>): number =>
  decisions.filter(({ allowed }) => allowed).length

/** Makes `count` requests, one after the other. Returns the number of allowed requests. */
export const allowedOf = (limiter: RateLimiter["Service"], refs: BucketRefs, count: number, now = start) =>
  Effect.map(
    Effect.forEach(Array.from({ length: count }), () => limiter.take(refs, now)),
    allowedAmong
  )
