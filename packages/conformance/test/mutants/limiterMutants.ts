/**
 * A mutant of the rate limiter in the process for each law.
 */
import type { Bucket, BucketRef, BucketRefs, RateDecision } from "@mailkeep/core/adapter"
import { drawToken, fullBucket, minuteMillis, RateLimiter } from "@mailkeep/core/adapter"
import { Effect, Layer } from "effect"
import type { LimiterSubject } from "../../src/index.ts"

type Limiter = RateLimiter["Service"]

const withRefs = (limiter: Limiter, change: (ref: BucketRef) => BucketRef): Limiter => {
  const changed = ([first, ...rest]: BucketRefs): BucketRefs => [change(first), ...rest.map(change)]
  return {
    take: (refs, now) => limiter.take(changed(refs), now),
    takeMore: (refs, more, now) => limiter.takeMore(changed(refs), more, now)
  }
}

const withNow = (limiter: Limiter, change: (now: number) => number): Limiter => ({
  take: (refs, now) => limiter.take(refs, change(now)),
  takeMore: (refs, more, now) => limiter.takeMore(refs, more, change(now))
})

const withDecision = (
  limiter: Limiter,
  change: (decision: RateDecision, refs: BucketRefs) => RateDecision
): Limiter => ({
  take: (refs, now) => Effect.map(limiter.take(refs, now), (decision) => change(decision, refs)),
  takeMore: (refs, more, now) => Effect.map(limiter.takeMore(refs, more, now), (decision) => change(decision, refs))
})

const mutations: Readonly<Record<string, (limiter: Limiter) => Limiter>> = {
  "limit/allows-the-whole": (limiter) =>
    withRefs(limiter, (ref) => ({ ...ref, limit: { ...ref.limit, requests: ref.limit.requests + 1 } })),
  "limit/refills-steadily": (limiter) => withNow(limiter, (now) => now - (now % minuteMillis)),
  "limit/says-how-long-to-wait": (limiter) =>
    withDecision(limiter, (decision) => ({ ...decision, retryAfterSeconds: decision.retryAfterSeconds + 1 })),
  "limit/changes-at-once": (limiter) => {
    const first = new Map<string, BucketRef>()
    return withRefs(limiter, (ref) => {
      const known = first.get(ref.id) ?? ref
      first.set(ref.id, known)
      return known
    })
  },
  "buckets/all-or-none": (limiter) => ({
    ...limiter,
    take: (refs, now) =>
      Effect.map(
        Effect.forEach(refs, (ref) => limiter.take([ref], now)),
        (decisions) => decisions.find(({ allowed }) => !allowed) ?? decisions[0]!
      )
  }),
  "buckets/kept-apart": (limiter) => withRefs(limiter, (ref) => ({ ...ref, id: ref.id.split("/")[0]! })),
  "decision/of-the-deciding-bucket": (limiter) =>
    withDecision(limiter, (decision, [{ scope, limit }]) => ({ ...decision, scope, limit })),
  "batch/may-go-below-zero": (limiter) => ({
    ...limiter,
    takeMore: (refs, more, now) => limiter.takeMore(refs, Math.min(more, refs[0].limit.requests), now)
  }),
  "clock/set-back": (limiter) => {
    let latest = 0
    return withNow(limiter, (now) => (latest = Math.max(latest, now)))
  },
  "concurrent/never-more": (limiter) => {
    const buckets = new Map<string, Bucket>()
    return {
      ...limiter,
      take: ([{ id, scope, limit }], now) =>
        Effect.gen(function* () {
          const read = buckets.get(id) ?? fullBucket(limit, now)
          yield* Effect.yieldNow
          const { bucket, ...state } = drawToken(read, limit, now, 1)
          buckets.set(id, bucket)
          return { ...state, scope, limit }
        })
    }
  },
  "concurrent/one-limit-for-all": (limiter) => limiter,
  "concurrent/use-reaches-the-others": (limiter) => limiter,
  "interrupted/stays-usable": (limiter) => {
    let isBroken = false
    return {
      ...limiter,
      take: (refs, now) =>
        Effect.suspend(() =>
          isBroken
            ? Effect.map(limiter.take(refs, now), (decision) => ({ ...decision, allowed: false }))
            : Effect.onInterrupt(Effect.andThen(Effect.yieldNow, limiter.take(refs, now)), () =>
                Effect.sync(() => (isBroken = true))
              )
        )
    }
  },
  "differential/no-script-finds-a-difference": (limiter) => ({
    ...limiter,
    takeMore: ([first], more, now) => limiter.takeMore([first], more, now)
  })
}

/** Each limiter that is opened has buckets of its own. The law of several limiters sees that when they claim to share them. */
export const limiterMutants: Readonly<Record<string, LimiterSubject>> = Object.fromEntries(
  Object.entries(mutations).map(([law, mutate]) => {
    const mutant = Layer.effect(RateLimiter, Effect.map(RateLimiter, mutate))
    return [
      law,
      {
        limiter: Effect.succeed(Layer.provide(mutant, Layer.fresh(RateLimiter.layerInProcess))),
        shared: law === "concurrent/one-limit-for-all" || law === "concurrent/use-reaches-the-others"
      }
    ]
  })
)
