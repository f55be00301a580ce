/**
 * The strongest law of the rate limiter: its decisions are those of the pure functions.
 */
import type { Bucket, BucketRef, BucketRefs, RateDecision, RateLimiter } from "@mailkeep/core/adapter"
import { drawMore, drawToken, fullBucket, secondMillis } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import * as fc from "fast-check"
import { same } from "../expectation.ts"
import type { Violation } from "../Law.ts"
import { limiterLaw } from "./LimiterSubject.ts"
import { start } from "./limiterRequests.ts"

const runs = 100

/** A request: how long after the one before, of which buckets, and how many tokens besides the first. */
interface Step {
  readonly afterMillis: number
  readonly of: ReadonlyArray<BucketRef["scope"]>
  readonly more: number
}

/** A bucket of few requests, which an approximate limiter counts exactly. It gets a token in whole seconds, so that sums have no rounding errors. */
const limits = fc
  .record({ requests: fc.integer({ min: 1, max: 10 }), tokenSeconds: fc.constantFrom(1, 2) })
  .map(({ requests, tokenSeconds }) => ({ requests, windowMillis: requests * tokenSeconds * secondMillis }))

const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.record({
    afterMillis: fc.nat(8).map((halves) => (halves * secondMillis) / 2),
    of: fc.shuffledSubarray(["api_key", "project"] as const, { minLength: 1 }),
    more: fc.oneof(fc.constant(0), fc.nat(4))
  }),
  { minLength: 1, maxLength: 12 }
)

const requestOf = (limiter: RateLimiter["Service"], refs: BucketRefs, more: number, now: number) =>
  more === 0 ? limiter.take(refs, now) : limiter.takeMore(refs, more, now)

/** The decisions of the pure functions: one of each bucket that may decide. Keeps the buckets in `buckets`. */
const decisionsOfReference = (
  buckets: Map<BucketRef, Bucket>,
  refs: BucketRefs,
  more: number,
  now: number
): ReadonlyArray<RateDecision> => {
  const statesOf = (taking: boolean) =>
    refs.map((ref) => {
      const bucket = buckets.get(ref) ?? fullBucket(ref.limit, now)
      const state =
        more === 0
          ? drawToken(bucket, ref.limit, now, taking ? 1 : 0)
          : drawMore(bucket, ref.limit, now, taking ? more : 0)
      return { ref, ...state }
    })
  const taken = statesOf(true)
  const refusing = taken.find(({ allowed }) => !allowed)
  const states = refusing === undefined ? taken : statesOf(false)
  for (const { ref, bucket } of states) buckets.set(ref, bucket)
  const fewest = Math.min(...states.map(({ remaining }) => remaining))
  const deciding = refusing === undefined ? states.filter(({ remaining }) => remaining === fewest) : [refusing]
  return deciding.map((state) => {
    const { ref, bucket: _, ...decision } = state
    return { ...decision, scope: ref.scope, limit: ref.limit }
  })
}

export const differential = limiterLaw(
  "differential/no-script-finds-a-difference",
  "The limiter decides every request of a random script as the functions `drawToken` and `drawMore` of the core do.",
  function* (limiter) {
    let made = 0
    const property = fc.asyncProperty(fc.tuple(limits, limits, steps), ([apiKeyLimit, projectLimit, requests]) => {
      const id = `script_${made++}`
      const refOf = {
        api_key: { scope: "api_key", id, limit: apiKeyLimit },
        project: { scope: "project", id, limit: projectLimit }
      } as const
      const buckets = new Map<BucketRef, Bucket>()
      return Effect.gen(function* () {
        let now = start
        for (const { afterMillis, of, more } of requests) {
          now += afterMillis
          const refs = of.map((scope) => refOf[scope]) as unknown as BucketRefs
          const decision = yield* requestOf(limiter, refs, more, now)
          const possible = decisionsOfReference(buckets, refs, more, now)
          const expected = possible.find(({ scope }) => scope === decision.scope) ?? possible[0]
          const script = JSON.stringify([apiKeyLimit, projectLimit, requests])
          yield* same(() => `a decision of ${script}`, decision, expected)
        }
      }).pipe(Effect.runPromise)
    })
    const outcome = yield* Effect.promise(() => fc.check(property, { numRuns: runs }))
    if (outcome.failed) return yield* Effect.fail(outcome.errorInstance as Violation)
  }
)
