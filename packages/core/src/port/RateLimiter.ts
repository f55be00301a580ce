/**
 * The port that counts requests against a rate limit.
 */
import { Context, Effect, Layer } from "effect"
import type { RateLimitScope } from "../domain/access/AccessFailure.ts"
import type { Instant } from "../domain/value/Instant.ts"
import { secondMillis } from "../domain/value/Instant.ts"
import type { Bucket, BucketLimit, BucketState } from "../domain/plan/TokenBucket.ts"
import { drawMore, drawToken, fullBucket } from "../domain/plan/TokenBucket.ts"
import type { StoreUnavailable } from "./MailStore.ts"

/** A bucket from which a request takes a token: the limit of an API key or of a project. */
export interface BucketRef {
  readonly scope: RateLimitScope
  readonly id: string
  readonly limit: BucketLimit
}

/** The buckets of one request: at least one. */
export type BucketRefs = readonly [BucketRef, ...Array<BucketRef>]

/** The state of the bucket that decided: the first empty bucket, or the bucket with the fewest tokens left. */
export interface RateDecision extends Omit<BucketState, "bucket"> {
  readonly scope: RateLimitScope
  readonly limit: BucketLimit
}

/**
 * Counts requests against the rate limits of API keys and projects. A call fails with `StoreUnavailable` when the limiter cannot decide now. The core waits
 * 10 s for it, and then the request fails in the same way.
 *
 * @example
 * ```ts
 * import { RateLimiter } from "@mailkeep/core"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const limiter = yield* RateLimiter
 *   const bucket = { scope: "project", id: "prj_acme", limit: { requests: 1, windowMillis: 1000 } } as const
 *   const decisions = [yield* limiter.take([bucket], 0), yield* limiter.take([bucket], 0)]
 *   return decisions.map(({ allowed }) => allowed).join(", ")
 * })
 * console.log(Effect.runSync(Effect.provide(program, RateLimiter.layerInProcess))) // true, false
 * ```
 */
export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    /** Takes one token from every bucket. Takes none when one of the buckets is empty. */
    readonly take: (buckets: BucketRefs, now: Instant) => Effect.Effect<RateDecision, StoreUnavailable>
    /**
     * Takes `more` tokens from every bucket, for a request that has taken its first. A bucket may then have fewer than zero tokens, and refills from
     * there. Takes none when one of the buckets already has fewer than zero.
     */
    readonly takeMore: (
      buckets: BucketRefs,
      more: number,
      now: Instant
    ) => Effect.Effect<RateDecision, StoreUnavailable>
  }
>()("@mailkeep/core/port/RateLimiter") {
  /** Keeps the buckets in the memory of this process. With several processes, each grants the whole limit. */
  static readonly layerInProcess: Layer.Layer<RateLimiter> = Layer.sync(RateLimiter, () => {
    const buckets = new Map<string, StoredBucket>()
    const bucketKey = ({ scope, id }: BucketRef) => `${scope}/${id}`

    /** Writes the new states when every bucket allows the request, and otherwise the states of the same time without a request. */
    const decide = (refs: BucketRefs, now: Instant, states: BucketStates): RateDecision => {
      const draw = (next: BucketStates["taken"]) =>
        refs.map((ref) => ({
          ref,
          state: next(buckets.get(bucketKey(ref))?.bucket ?? fullBucket(ref.limit, now), ref.limit)
        }))
      const taken = draw(states.taken)
      const refusing = taken.find(({ state }) => !state.allowed)
      const drawn = refusing === undefined ? taken : draw(states.untaken)
      for (const { ref, state } of drawn) {
        // A full bucket is the initial state, so the map keeps only buckets that are not full.
        if (state.resetSeconds <= 0) buckets.delete(bucketKey(ref))
        else buckets.set(bucketKey(ref), { bucket: state.bucket, fullAt: now + state.resetSeconds * secondMillis })
      }
      if (buckets.size > bucketsMax) deleteFullBuckets(buckets, now)
      const { ref, state } = refusing ?? drawn.toSorted((a, b) => a.state.remaining - b.state.remaining)[0]!
      const { bucket: _, ...rest } = state
      return { ...rest, scope: ref.scope, limit: ref.limit }
    }

    return {
      take: (refs, now) =>
        Effect.sync(() =>
          decide(refs, now, {
            taken: (bucket, limit) => drawToken(bucket, limit, now, 1),
            untaken: (bucket, limit) => drawToken(bucket, limit, now, 0)
          })
        ),
      takeMore: (refs, more, now) =>
        Effect.sync(() =>
          decide(refs, now, {
            taken: (bucket, limit) => drawMore(bucket, limit, now, more),
            untaken: (bucket, limit) => drawMore(bucket, limit, now, 0)
          })
        )
    }
  })
}

/** The state of a bucket with and without the tokens of the request. */
interface BucketStates {
  readonly taken: (bucket: Bucket, limit: BucketLimit) => BucketState
  readonly untaken: (bucket: Bucket, limit: BucketLimit) => BucketState
}

const bucketsMax = 10_000

interface StoredBucket {
  readonly bucket: Bucket
  readonly fullAt: Instant
}

const deleteFullBuckets = (buckets: Map<string, StoredBucket>, now: Instant): void => {
  for (const [key, { fullAt }] of buckets) if (fullAt <= now) buckets.delete(key)
}
