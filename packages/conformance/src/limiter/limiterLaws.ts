/**
 * The laws of the rate limiter.
 */
import type { RateLimiter } from "@mailkeep/core/adapter"
import { hourMillis, minuteMillis } from "@mailkeep/core/adapter"
import { Effect, Fiber } from "effect"
import { aTurn } from "../awaiting.ts"
import { holds, same } from "../expectation.ts"
import type { LawBook } from "../Law.ts"
import { bucketLaws } from "./bucketLaws.ts"
import { differential } from "./limiterDifferential.ts"
import type { LimiterSubject } from "./LimiterSubject.ts"
import { limiterLaw, LimiterPlace, openLimiter } from "./LimiterSubject.ts"
import { allowedAmong, allowedOf, apiKeyBucket, projectBucket, start } from "./limiterRequests.ts"

/** Makes `count` requests of each limiter, all at once. Returns the number of allowed requests. */
const allowedAtOnce = (
  limiters: ReadonlyArray<RateLimiter["Service"]>,
  requests: number,
  count: number,
  now = start
) => {
  const refs = [projectBucket(requests, `prj_${requests}`)] as const
  const calls = limiters.flatMap((limiter) => Array.from({ length: count }, () => limiter.take(refs, now)))
  return Effect.map(Effect.all(calls, { concurrency: "unbounded" }), allowedAmong)
}

const concurrentRequests = limiterLaw(
  "concurrent/never-more",
  "Of many concurrent requests, exactly as many are allowed as the limit.",
  function* (limiter) {
    for (const requests of [10, 100])
      yield* same(
        `the allowed requests of ${requests}`,
        yield* allowedAtOnce([limiter], requests, 2 * requests),
        requests
      )
  }
)

const sharedLimit = limiterLaw(
  "concurrent/one-limit-for-all",
  {
    statement:
      "Limiters that share their buckets keep one limit together. Each allows at most its declared part more, and only once.",
    why: "decisions/0079-postgres-in-products.md",
    needs: { shared: true }
  },
  function* (limiter) {
    const { another, excessOf } = yield* LimiterPlace
    const limiters = [limiter, yield* another]
    for (const requests of [10, 100]) {
      const most = requests + limiters.length * excessOf(requests)
      const allowed = yield* allowedAtOnce(limiters, requests, 2 * requests)
      const isKept = allowed >= requests && allowed <= most
      yield* holds("the allowed requests", `from ${requests} to ${most}`, isKept, allowed)
      const later = yield* allowedAtOnce(limiters, requests, 2 * requests, start + minuteMillis / 2)
      const inAll = allowed + later
      const mostInAll = most + requests / 2
      yield* holds("the requests with half a window more", `at most ${mostInAll}`, inAll <= mostInAll, inAll)
    }
  }
)

/** How long a limiter may decide without the requests of another, in milliseconds. */
const unreportedMillisMax = 5000

const reportedUse = limiterLaw(
  "concurrent/use-reaches-the-others",
  {
    statement:
      "Limiters that share their buckets know within 5 s what another has allowed, also when the other gets no further request.",
    why: "decisions/0079-postgres-in-products.md",
    needs: { shared: true }
  },
  function* (limiter) {
    const { another, excessOf } = yield* LimiterPlace
    const other = yield* another
    const requests = 100
    const bucket = { ...projectBucket(requests), limit: { requests, windowMillis: hourMillis } }
    // One request fewer than a limiter may allow by itself.
    const used = Math.max(1, excessOf(requests) - 1)
    yield* same("the first requests", yield* allowedOf(limiter, [bucket], used), used)
    yield* other.takeMore([bucket], requests - used, start)
    // With the empty bucket, a request takes nothing. The decision shows the bucket that is empty first.
    const empty = apiKeyBucket(1)
    yield* other.takeMore([empty], requests, start)
    const startedAt = performance.now()
    let decision = yield* other.take([bucket, empty], start)
    let millis = 0
    while (decision.scope !== bucket.scope && millis < unreportedMillisMax) {
      yield* aTurn
      millis = Math.floor(performance.now() - startedAt)
      decision = yield* other.take([bucket, empty], start + millis)
    }
    yield* same("the empty bucket", decision.scope, bucket.scope)
  }
)

const interrupted = limiterLaw(
  "interrupted/stays-usable",
  "After the interruption of requests under way, the limiter answers, and has lost at most their tokens.",
  function* (limiter) {
    for (const requests of [10, 100]) {
      const bucket = projectBucket(requests, `prj_${requests}`)
      const calls = [limiter.take([bucket], start), limiter.takeMore([bucket], 1, start)]
      for (const call of calls) yield* Fiber.interrupt(yield* Effect.forkScoped(call, { startImmediately: true }))
      const allowed = yield* allowedOf(limiter, [bucket], requests + 1)
      const least = requests - calls.length
      const isUsable = allowed >= least && allowed <= requests
      yield* holds("the allowed requests", `from ${least} to ${requests}`, isUsable, allowed)
    }
  }
)

/** The laws of `RateLimiter`. */
export const limiterLaws: LawBook<LimiterSubject, RateLimiter | LimiterPlace> = {
  port: "rate limiter",
  capabilities: ["shared", "excessPart"],
  laws: [...bucketLaws, concurrentRequests, sharedLimit, reportedUse, interrupted, differential],
  open: openLimiter
}
