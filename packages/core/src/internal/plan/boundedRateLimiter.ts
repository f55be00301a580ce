/**
 * Bounds how long a request waits for a rate limiter, such as one over a server that does not answer.
 */
import { Effect } from "effect"
import { StoreUnavailable } from "../../port/MailStore.ts"
import type { RateLimiter } from "../../port/RateLimiter.ts"
import { inTime } from "./inTime.ts"

const detail = "The rate limiter did not answer within 10 s. Try again later."

const tooLate = Effect.suspend(() => Effect.fail(new StoreUnavailable({ reason: "unreachable", detail })))

/** Replaces a rate limiter by one that fails with `StoreUnavailable` after 10 s without an answer. */
export const boundedRateLimiter = (limiter: RateLimiter["Service"]): RateLimiter["Service"] => ({
  take: (buckets, now) => inTime(limiter.take(buckets, now), tooLate),
  takeMore: (buckets, more, now) => inTime(limiter.takeMore(buckets, more, now), tooLate)
})
