/**
 * The laws of the buckets: what a limit allows, when it allows more, and which buckets a request takes from.
 */
import type { BucketLimit, BucketRef, BucketRefs } from "@mailkeep/core/adapter"
import { hourMillis, minuteMillis, secondMillis } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { holds, same } from "../expectation.ts"
import type { LimiterLaw } from "./LimiterSubject.ts"
import { limiterLaw } from "./LimiterSubject.ts"
import { allowedOf, apiKeyBucket, projectBucket, start } from "./limiterRequests.ts"

const sizes = [1, 10, 100]

const wholeLimit = limiterLaw(
  "limit/allows-the-whole",
  "A new bucket allows exactly as many requests at once as its limit, and refuses the next.",
  function* (limiter) {
    for (const requests of sizes) {
      const bucket = projectBucket(requests, `prj_${requests}`)
      yield* same(`the allowed requests of ${requests}`, yield* allowedOf(limiter, [bucket], requests), requests)
      yield* same("the next request", (yield* limiter.take([bucket], start)).allowed, false)
    }
  }
)

const steadyRefill = limiterLaw(
  "limit/refills-steadily",
  "A bucket refills at a constant rate: half of the limit in half of the window. It is never more than full.",
  function* (limiter) {
    for (const requests of [10, 100]) {
      const bucket = projectBucket(requests, `prj_${requests}`)
      const allowedAt = (minutes: number, count: number) =>
        allowedOf(limiter, [bucket], count, start + minutes * minuteMillis)
      yield* same("the requests of a full bucket", yield* allowedAt(0, requests + 1), requests)
      yield* same("the requests half a window later", yield* allowedAt(0.5, requests), requests / 2)
      yield* same("the requests after many windows", yield* allowedAt(20, requests + 1), requests)
      yield* same("a few requests after many windows", yield* allowedAt(40, requests / 5), requests / 5)
      yield* same("the requests after a few, many windows later", yield* allowedAt(60, requests + 1), requests)
    }
  }
)

const exactWait = limiterLaw(
  "limit/says-how-long-to-wait",
  "A refused request gets the whole seconds after which one request is allowed. The request is refused until then.",
  function* (limiter) {
    const limits: ReadonlyArray<readonly [limit: BucketLimit, seconds: number]> = [
      [{ requests: 1, windowMillis: secondMillis }, 1],
      [{ requests: 10, windowMillis: minuteMillis }, 6],
      [{ requests: 100, windowMillis: 10 * minuteMillis }, 6]
    ]
    for (const [limit, seconds] of limits) {
      const bucket: BucketRef = { scope: "project", id: `prj_${limit.requests}`, limit }
      yield* allowedOf(limiter, [bucket], limit.requests)
      const refused = yield* limiter.take([bucket], start)
      yield* same("the seconds to wait", refused.retryAfterSeconds, seconds)
      const end = start + seconds * secondMillis
      yield* same("the requests 10 ms before the end of the wait", yield* allowedOf(limiter, [bucket], 2, end - 10), 0)
      yield* same("the requests at the end of the wait", yield* allowedOf(limiter, [bucket], 2, end), 1)
    }
  }
)

const allBucketsOrNone = limiterLaw(
  "buckets/all-or-none",
  "When one bucket of a request is empty, the request takes no token from any bucket, in whatever order they are.",
  function* (limiter) {
    for (const requests of [10, 100]) {
      const empty = projectBucket(1, `prj_${requests}`)
      yield* limiter.takeMore([empty], 2, start)
      for (const order of ["first", "last"]) {
        const full = apiKeyBucket(requests, `key_${order}_${requests}`)
        const both: BucketRefs = order === "first" ? [empty, full] : [full, empty]
        yield* same("the allowed requests", yield* allowedOf(limiter, both, 3), 0)
        yield* same("the larger request", (yield* limiter.takeMore(both, 3, start)).allowed, false)
        yield* same("the requests of the other bucket", yield* allowedOf(limiter, [full], requests + 1), requests)
      }
    }
  }
)

const keptApart = limiterLaw(
  "buckets/kept-apart",
  "Each pair of a scope and an id has a bucket of its own, whatever characters the id has.",
  function* (limiter) {
    const ids = ["a", "b", "A", "a ", "ä", "a/b", "b/a", "a:b", "a.b", "a|b", "a%2Fb", "project/a", "project:a", ""]
    for (const id of ids)
      for (const bucket of [apiKeyBucket(1, id), projectBucket(1, id)])
        yield* same(`the requests of ${bucket.scope} "${id}"`, yield* allowedOf(limiter, [bucket], 2), 1)
  }
)

const decidingBucket = limiterLaw(
  "decision/of-the-deciding-bucket",
  "A decision shows the first empty bucket, or the bucket with the fewest requests left: scope, limit, requests left and seconds until full.",
  function* (limiter) {
    const [project, apiKey] = [projectBucket(4), apiKeyBucket(10)]
    const decisionOf = (
      { scope, limit }: BucketRef,
      remaining: number,
      resetSeconds: number,
      retryAfterSeconds = 0
    ) => ({
      allowed: retryAfterSeconds === 0,
      scope,
      limit,
      remaining,
      resetSeconds,
      retryAfterSeconds
    })
    const decides = (refs: BucketRefs, decision: ReturnType<typeof decisionOf>) =>
      Effect.flatMap(limiter.take(refs, start), (actual) => same("the decision", actual, decision))
    yield* decides([apiKey, project], decisionOf(project, 3, 15))
    yield* decides([project, apiKey], decisionOf(project, 2, 30))
    yield* limiter.takeMore([apiKey], 7, start)
    yield* decides([project, apiKey], decisionOf(apiKey, 0, 60))
    yield* decides([project, apiKey], decisionOf(apiKey, 0, 60, 6))
    yield* decides([project], decisionOf(project, 0, 60))
    yield* decides([project, apiKey], decisionOf(project, 0, 60, 15))
    yield* decides([apiKey, project], decisionOf(apiKey, 0, 60, 6))
  }
)

const belowZero = limiterLaw(
  "batch/may-go-below-zero",
  "A larger request may take more tokens than a bucket has. The bucket then has fewer than zero, refills from there, and refuses every request until then.",
  function* (limiter) {
    for (const requests of [10, 100]) {
      const bucket = projectBucket(requests, `prj_${requests}`)
      const more = (atMillis: number) =>
        Effect.map(limiter.takeMore([bucket], 2 * requests, start + atMillis), ({ allowed }) => allowed)
      const decision = yield* limiter.takeMore([bucket], 2 * requests, start)
      yield* same("the decision", [decision.allowed, decision.remaining, decision.resetSeconds], [true, 0, 120])
      yield* same("a second one below zero", yield* more(0), false)
      yield* same("a second one before zero", yield* more(minuteMillis - secondMillis), false)
      yield* same("single requests at zero", yield* allowedOf(limiter, [bucket], 3, start + minuteMillis), 0)
      yield* same("a second one at zero", yield* more(minuteMillis), true)
      yield* same("single requests later", yield* allowedOf(limiter, [bucket], 3, start + 2 * minuteMillis), 0)
    }
  }
)

const clockSetBack = limiterLaw(
  "clock/set-back",
  "After the clock was set back, a bucket allows nothing twice, and it refills within one window of the new time.",
  function* (limiter) {
    for (const backMillis of [secondMillis, hourMillis])
      for (const requests of [10, 100]) {
        const bucket = projectBucket(requests, `prj_${backMillis}_${requests}`)
        yield* allowedOf(limiter, [bucket], requests + 1)
        const back = start - backMillis
        yield* same("the requests at the earlier time", yield* allowedOf(limiter, [bucket], requests, back), 0)
        const later = yield* allowedOf(limiter, [bucket], 2 * requests, back + minuteMillis)
        const isRefilled = later > 0 && later <= requests
        yield* holds("the requests after one window of it", `from 1 to ${requests}`, isRefilled, later)
      }
  }
)

const changedLimit = limiterLaw(
  "limit/changes-at-once",
  "A changed limit applies to the next request: a bucket has at most as many tokens as the new limit, and refills at its rate.",
  function* (limiter) {
    yield* allowedOf(limiter, [projectBucket(10)], 1)
    yield* same("the requests of a smaller limit", yield* allowedOf(limiter, [projectBucket(4)], 5), 4)
    for (const requests of [10, 100]) {
      const [before, after] = [
        projectBucket(requests, `prj_${requests}`),
        projectBucket(2 * requests, `prj_${requests}`)
      ]
      yield* allowedOf(limiter, [before], requests + 1)
      yield* same("the requests at the change", yield* allowedOf(limiter, [after], 1), 0)
      const half = start + minuteMillis / 2
      yield* same("the requests in half a window", yield* allowedOf(limiter, [after], 2 * requests, half), requests)
    }
  }
)

/** The laws of the buckets of one limiter. */
export const bucketLaws: ReadonlyArray<LimiterLaw> = [
  wholeLimit,
  steadyRefill,
  exactWait,
  changedLimit,
  allBucketsOrNone,
  keptApart,
  decidingBucket,
  belowZero,
  clockSetBack
]
