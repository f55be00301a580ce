/**
 * Rate limits that all processes on a database share. A process decides by what it knows of a bucket, and reports what it has used in pieces, so
 * that most requests need no round trip. Source: decision 0079.
 */
import type {
  Bucket,
  BucketLimit,
  BucketRef,
  BucketRefs,
  BucketState,
  RateDecision,
  RateLimiter
} from "@mailkeep/core/adapter"
import { drawMore, drawToken } from "@mailkeep/core/adapter"
import type { Scope } from "effect"
import { Clock, Duration, Effect } from "effect"
import type { KnownBuckets } from "./knownBuckets.ts"
import { makeKnownBuckets, pieceOf } from "./knownBuckets.ts"
import type { RateBuckets } from "./rateBuckets.ts"

const cleanEvery = Duration.minutes(10)

/** What a request takes from each of its buckets. */
interface Draw<Tokens extends number> {
  readonly take: Tokens
  /** Takes them from a row only if the row has at least this many. */
  readonly min: number
  /** The state of a bucket after it has given the tokens, if it has what the request needs. With 0, its present state. */
  readonly stateOf: (bucket: Bucket, limit: BucketLimit, now: number, tokens: Tokens | 0) => BucketState
}

const oneToken: Draw<1> = { take: 1, min: 1, stateOf: drawToken }

const moreTokens = (more: number): Draw<number> => ({ take: more, min: 0, stateOf: drawMore })

const decisionOf = (refs: BucketRefs, states: ReadonlyArray<BucketState>): RateDecision => {
  const refusing = states.findIndex(({ allowed }) => !allowed)
  const fewest = states.reduce((least, { remaining }, at) => (remaining < states[least]!.remaining ? at : least), 0)
  const at = refusing === -1 ? fewest : refusing
  const { bucket: _, ...state } = states[at]!
  return { ...state, scope: refs[at]!.scope, limit: refs[at]!.limit }
}

/** The two ways to decide: by what this process knows, and in the rows. */
const makeDecisions = ({ knownOf, count, report, isStale, countsAlone }: KnownBuckets) => {
  const statesOf = <T extends number>(refs: BucketRefs, now: number, { stateOf }: Draw<T>, tokens: T | 0) =>
    refs.map((ref) => stateOf(knownOf(ref, now).bucket, ref.limit, now, tokens))

  /** Decides by what this process knows, and counts what it allows. */
  const decideHere = <T extends number>(refs: BucketRefs, now: number, draw: Draw<T>): RateDecision => {
    const taken = statesOf(refs, now, draw, draw.take)
    const isAllowed = taken.every(({ allowed }) => allowed)
    const states = isAllowed ? taken : statesOf(refs, now, draw, 0)
    for (const [at, ref] of refs.entries()) {
      knownOf(ref, now).bucket = states[at]!.bucket
      if (isAllowed) count(ref, now, draw.take)
    }
    return decisionOf(refs, states)
  }

  /** Takes from the row of each bucket. Gives back when one of them does not have enough. */
  const decideInRows = async <T extends number>(
    refs: BucketRefs,
    now: number,
    draw: Draw<T>
  ): Promise<RateDecision> => {
    const takenFrom: Array<BucketRef> = []
    for (const ref of refs) {
      const taken = await report(ref, now, draw)
      // The database does not answer: this process counts by itself.
      if (taken === null) {
        for (const one of takenFrom) count(one, now, -draw.take)
        return decideHere(refs, now, draw)
      }
      if (!taken) {
        for (const one of takenFrom) await report(one, now, { take: -draw.take, min: Number.MIN_SAFE_INTEGER })
        const refused = decisionOf(refs, statesOf(refs, now, draw, 0))
        return { ...refused, allowed: false, retryAfterSeconds: Math.max(1, refused.retryAfterSeconds) }
      }
      takenFrom.push(ref)
    }
    const left = statesOf(refs, now, moreTokens(0), 0)
    return { ...decisionOf(refs, left), allowed: true, retryAfterSeconds: 0 }
  }

  return {
    decideHere,
    /** Decides in the rows, unless the database has not answered lately. */
    decideAtOnce: <T extends number>(refs: BucketRefs, now: number, draw: Draw<T>) =>
      refs.some((ref) => countsAlone(ref, now)) ? decideHere(refs, now, draw) : decideInRows(refs, now, draw),
    /** Others only take tokens, so a bucket that is empty here is empty in its row. */
    isRefusedHere: <T extends number>(refs: BucketRefs, now: number, draw: Draw<T>): boolean =>
      refs.every((ref) => !isStale(ref, now)) && statesOf(refs, now, draw, 0).some(({ allowed }) => !allowed)
  }
}

/** Makes the limiter. Until the scope closes, it reports what was used, and deletes the rows of full buckets every 10 minutes. */
export const makeSharedRateLimiter = (rows: RateBuckets): Effect.Effect<RateLimiter["Service"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const known = makeKnownBuckets(rows, yield* Clock.Clock)
    const { decideHere, decideAtOnce, isRefusedHere } = makeDecisions(known)

    const take = async (refs: BucketRefs, now: number): Promise<RateDecision> => {
      if (isRefusedHere(refs, now, oneToken)) return decideHere(refs, now, oneToken)
      if (refs.some((ref) => pieceOf(ref) === 0)) return decideAtOnce(refs, now, oneToken)
      const staleOf = (some: ReadonlyArray<BucketRef>) => some.filter((ref) => known.isStale(ref, now))
      let stale = staleOf(refs)
      while (stale.length > 0) {
        await Promise.all(stale.map((ref) => known.reportOnce(ref, now)))
        stale = staleOf(stale)
      }
      return decideHere(refs, now, oneToken)
    }

    const takeMore = async (refs: BucketRefs, more: number, now: number): Promise<RateDecision> => {
      const draw = moreTokens(more)
      return isRefusedHere(refs, now, draw) ? decideHere(refs, now, draw) : decideAtOnce(refs, now, draw)
    }

    yield* Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.tryPromise(() => rows.deleteFull(now))).pipe(
      Effect.ignore,
      Effect.delay(cleanEvery),
      Effect.forever,
      Effect.forkScoped
    )
    yield* Effect.forkScoped(known.keepReporting)
    return {
      take: (refs, now) => Effect.promise(() => take(refs, now)),
      takeMore: (refs, more, now) => Effect.promise(() => takeMore(refs, more, now))
    }
  })
