/**
 * The port that counts requests against a rate limit.
 */
import { Context, Effect, Layer } from "effect"
import type { RateLimitScope } from "../domain/Failure.ts"
import type { Instant } from "../domain/Instant.ts"
import { secondMillis } from "../domain/Instant.ts"
import type { Bucket, BucketLimit, BucketState } from "../domain/TokenBucket.ts"
import { drawToken, fullBucket } from "../domain/TokenBucket.ts"

export interface BucketRef {
  readonly scope: RateLimitScope
  readonly id: string
  readonly limit: BucketLimit
}

/** The state of the bucket that decided: the first empty one, or the one with least left. */
export interface RateDecision extends Omit<BucketState, "bucket"> {
  readonly scope: RateLimitScope
  readonly limit: BucketLimit
}

export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    /** Takes one token from every bucket, or from none when one of them is empty. */
    readonly take: (buckets: readonly [BucketRef, ...Array<BucketRef>], now: Instant) => Effect.Effect<RateDecision>
  }
>()("@mailkeep/core/port/RateLimiter") {
  /** In the memory of this process: several processes each grant the whole limit. */
  static readonly layerInProcess: Layer.Layer<RateLimiter> = Layer.sync(RateLimiter, () => {
    const buckets = new Map<string, Kept>()
    return {
      take: (refs, now) =>
        Effect.sync(() => {
          const key = ({ scope, id }: BucketRef) => `${scope}/${id}`
          const draw = (take: 0 | 1) =>
            refs.map((ref) => ({
              ref,
              state: drawToken(buckets.get(key(ref))?.bucket ?? fullBucket(ref.limit, now), ref.limit, now, take)
            }))
          const looked = draw(0)
          const empty = looked.find(({ state }) => !state.allowed)
          const drawn = empty === undefined ? draw(1) : looked
          for (const { ref, state } of drawn) {
            // A full bucket need not be remembered, so the map holds only what is in use.
            if (state.resetSeconds <= 0) buckets.delete(key(ref))
            else buckets.set(key(ref), { bucket: state.bucket, fullAt: now + state.resetSeconds * secondMillis })
          }
          if (buckets.size > bucketsMax) forgetFull(buckets, now)
          const { ref, state } = empty ?? drawn.toSorted((a, b) => a.state.remaining - b.state.remaining)[0]!
          const { bucket: _, ...rest } = state
          return { ...rest, scope: ref.scope, limit: ref.limit }
        })
    }
  })
}

const bucketsMax = 10_000

interface Kept {
  readonly bucket: Bucket
  readonly fullAt: Instant
}

const forgetFull = (buckets: Map<string, Kept>, now: Instant): void => {
  for (const [key, { fullAt }] of buckets) if (fullAt <= now) buckets.delete(key)
}
