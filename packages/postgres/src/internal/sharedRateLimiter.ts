/**
 * Rate limits that all processes on a database share. A process decides by what it knows of a bucket, and reports what it has used in pieces, so
 * that most requests need no round trip. Source: decision 0079.
 */
import type { Bucket, BucketRef, BucketRefs, BucketState, RateDecision, RateLimiter } from "@mailkeep/core/adapter"
import { drawMore, drawToken } from "@mailkeep/core/adapter"
import type { Scope } from "effect"
import { Clock, Duration, Effect } from "effect"
import { makeKnownBuckets, pieceOf } from "./knownBuckets.ts"
import type { RateBuckets } from "./rateBuckets.ts"

const cleanEvery = Duration.minutes(10)

/** Whether the bucket has what a request needs, and its state with or without the request. */
type Draw = (bucket: Bucket, ref: BucketRef, now: number, taking: boolean) => BucketState

interface Request {
  readonly take: number
  readonly min: number
  readonly draw: Draw
}

const oneToken: Request = {
  take: 1,
  min: 1,
  draw: (bucket, { limit }, now, taking) => drawToken(bucket, limit, now, taking ? 1 : 0)
}

const moreTokens = (more: number): Request => ({
  take: more,
  min: 0,
  draw: (bucket, { limit }, now, taking) => drawMore(bucket, limit, now, taking ? more : 0)
})

const decisionOf = (refs: BucketRefs, states: ReadonlyArray<BucketState>): RateDecision => {
  const refusing = states.findIndex(({ allowed }) => !allowed)
  const fewest = states.reduce((least, { remaining }, at) => (remaining < states[least]!.remaining ? at : least), 0)
  const at = refusing === -1 ? fewest : refusing
  const { bucket: _, ...state } = states[at]!
  return { ...state, scope: refs[at]!.scope, limit: refs[at]!.limit }
}

/** Makes the limiter. Until the scope closes, it reports what was used, and deletes the rows of full buckets every 10 minutes. */
export const makeSharedRateLimiter = (rows: RateBuckets): Effect.Effect<RateLimiter["Service"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const { knownOf, count, report, reportOnce, isStale, countsAlone, keepReporting } = makeKnownBuckets(
      rows,
      yield* Clock.Clock
    )

    const statesOf = (refs: BucketRefs, now: number, { draw }: Request, taking: boolean) =>
      refs.map((ref) => draw(knownOf(ref, now).bucket, ref, now, taking))

    /** Decides by what this process knows, and counts what it allows. */
    const decideHere = (refs: BucketRefs, now: number, request: Request): RateDecision => {
      const taken = statesOf(refs, now, request, true)
      const allowed = taken.every((state) => state.allowed)
      const states = allowed ? taken : statesOf(refs, now, request, false)
      for (const [at, ref] of refs.entries()) {
        const known = knownOf(ref, now)
        known.bucket = states[at]!.bucket
        if (allowed) count(ref, now, request.take)
      }
      return decisionOf(refs, allowed ? taken : states)
    }

    /** Takes from the row of each bucket. Gives back when one of them does not have enough. */
    const decideInRows = async (refs: BucketRefs, now: number, request: Request): Promise<RateDecision> => {
      const takenFrom: Array<BucketRef> = []
      for (const ref of refs) {
        const taken = await report(ref, now, request)
        // The database does not answer: this process counts by itself.
        if (taken === null) {
          for (const one of takenFrom) count(one, now, -request.take)
          return decideHere(refs, now, request)
        }
        if (!taken) {
          for (const one of takenFrom) await report(one, now, { take: -request.take, min: Number.MIN_SAFE_INTEGER })
          const refused = decisionOf(refs, statesOf(refs, now, request, false))
          return { ...refused, allowed: false, retryAfterSeconds: Math.max(1, refused.retryAfterSeconds) }
        }
        takenFrom.push(ref)
      }
      const states = statesOf(
        refs,
        now,
        { ...request, draw: (bucket, ref, at) => drawMore(bucket, ref.limit, at, 0) },
        false
      )
      return { ...decisionOf(refs, states), allowed: true, retryAfterSeconds: 0 }
    }

    const isRefusedHere = (refs: BucketRefs, now: number, request: Request): boolean =>
      refs.every((ref) => !isStale(ref, now)) && statesOf(refs, now, request, false).some(({ allowed }) => !allowed)

    const decide = async (refs: BucketRefs, now: number, request: Request): Promise<RateDecision> => {
      // Others only take tokens, so a bucket that is empty here is empty in its row.
      if (isRefusedHere(refs, now, request)) return decideHere(refs, now, request)
      if (request !== oneToken || refs.some((ref) => pieceOf(ref) === 0))
        return refs.some((ref) => countsAlone(ref, now))
          ? decideHere(refs, now, request)
          : decideInRows(refs, now, request)
      for (
        let stale = refs.filter((ref) => isStale(ref, now));
        stale.length > 0;
        stale = stale.filter((ref) => isStale(ref, now))
      )
        await Promise.all(stale.map((ref) => reportOnce(ref, now)))
      return decideHere(refs, now, request)
    }

    yield* Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.tryPromise(() => rows.deleteFull(now))).pipe(
      Effect.ignore,
      Effect.delay(cleanEvery),
      Effect.forever,
      Effect.forkScoped
    )
    yield* Effect.forkScoped(keepReporting)
    return {
      take: (refs, now) => Effect.promise(() => decide(refs, now, oneToken)),
      takeMore: (refs, more, now) => Effect.promise(() => decide(refs, now, moreTokens(more)))
    }
  })
