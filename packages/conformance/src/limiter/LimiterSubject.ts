/**
 * What the author of a rate limiter supplies: a limiter over new buckets, and whether several limiters share them.
 */
import { RateLimiter } from "@mailkeep/core/adapter"
import type { Scope } from "effect"
import { Context, Effect, Layer } from "effect"
import type { Law, LawBody, LawBook, Stated } from "../Law.ts"
import { makeLaw } from "../Law.ts"

/** What the author of a rate limiter supplies to `limiterLaws`. */
export interface LimiterSubject {
  /**
   * Returns a layer over new buckets each time. With `shared`, the laws open the layer several times at once, as several processes do, and these limiters
   * share the buckets.
   */
  readonly limiter: Effect.Effect<Layer.Layer<RateLimiter, unknown>, unknown, Scope.Scope>
  /** Whether several processes keep one limit together. */
  readonly shared: boolean
  /**
   * The part of a limit that each process can allow beyond the limit while several share it, from 0 to 1. A limit is exact if this part of it is less than
   * one request. The laws expect that a process alone never exceeds a limit. Default: 0.
   */
  readonly excessPart?: number
}

interface LimiterCapabilities {
  readonly shared: boolean
  readonly excessPart: number
}

/**
 * What a law can request besides the open limiter. A law of your own reads it.
 *
 * @example
 * ```ts
 * import { LimiterPlace } from "@mailkeep/conformance"
 * import { Effect } from "effect"
 *
 * // Takes one token as another process does.
 * export const takenElsewhere = Effect.gen(function* () {
 *   const limiter = yield* (yield* LimiterPlace).another
 *   return yield* limiter.take([{ scope: "project", id: "prj_a", limit: { requests: 1, windowMillis: 1000 } }], 0)
 * })
 * ```
 */
export class LimiterPlace extends Context.Service<
  LimiterPlace,
  {
    /** Opens another limiter from the same layer. */
    readonly another: Effect.Effect<RateLimiter["Service"], unknown, Scope.Scope>
    /** The number of requests that each process can allow beyond a limit of that many requests. */
    readonly excessOf: (requests: number) => number
  }
>()("@mailkeep/conformance/LimiterPlace") {}

export type LimiterLaw = Law<RateLimiter | LimiterPlace>

export const openLimiter: LawBook<LimiterSubject, RateLimiter | LimiterPlace>["open"] = ({
  limiter,
  shared,
  excessPart = 0
}) =>
  Effect.gen(function* () {
    const layer = yield* limiter
    const another = Effect.map(Layer.build(Layer.fresh(layer)), (context) => Context.get(context, RateLimiter))
    const excessOf = (requests: number) => Math.floor(requests * excessPart)
    return {
      capabilities: { shared, excessPart } satisfies LimiterCapabilities,
      context: Context.make(RateLimiter, yield* another).pipe(Context.add(LimiterPlace, { another, excessOf }))
    }
  })

const why = "decisions/0015-limits.md"

/** Defines a law over the open limiter. */
export const limiterLaw = (
  id: LimiterLaw["id"],
  stated: Stated<LimiterCapabilities>,
  check: (limiter: RateLimiter["Service"]) => LawBody<LimiterPlace>
): LimiterLaw =>
  makeLaw<RateLimiter | LimiterPlace>(id, why, stated, function* () {
    yield* check(yield* RateLimiter)
  })
