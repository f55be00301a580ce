/**
 * Rate limits that all processes on a database share. A process decides by what it knows of a bucket, and reports what it has used in pieces, so
 * that most requests need no round trip. Source: decision 0079.
 */
import type { Bucket, BucketRef, BucketRefs, BucketState, RateDecision, RateLimiter } from "@mailkeep/core/adapter"
import { drawMore, drawToken, fullBucket } from "@mailkeep/core/adapter"
import type { Scope } from "effect"
import { Clock, Duration, Effect } from "effect"
import type { RateBuckets } from "./rateBuckets.ts"

/** A process uses at most this part of the requests of a limit before it reports them. */
const pieceDivisor = 20
/** For how long after a report a process decides by what it knows, in milliseconds. */
const knownMillis = 1000
/** After a report that failed, the process counts by itself for this long, in milliseconds. */
const aloneMillis = 1000
const bucketsMax = 10_000
const nanosPerMilli = 1e6
const cleanEvery = Duration.minutes(10)

/** The requests that a process may use before it reports them; 0 means that each request is a statement of its own. */
const pieceOf = ({ limit }: BucketRef): number => Math.floor(limit.requests / pieceDivisor)

/** What this process knows of a bucket. */
interface Known {
  bucket: Bucket
  /** Used and not reported yet. */
  used: number
  /** When a request was last counted in `used`. */
  usedAt: number
  /** When the last report began. */
  from: number
  /** Until when the process decides by `bucket`. */
  until: number
  /** Whether the last report failed, so that the process counts by itself. */
  isAlone: boolean
  reporting: Promise<void> | null
}

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

/** The buckets as this process knows them. `clock` measures how long a report takes. */
const makeKnownBuckets = (rows: RateBuckets, clock: Clock.Clock) => {
  const buckets = new Map<string, Known>()
  const knownOf = (ref: BucketRef, now: number): Known => {
    const name = `${ref.scope}/${ref.id}`
    const known = buckets.get(name) ?? {
      bucket: fullBucket(ref.limit, now),
      used: 0,
      usedAt: now,
      from: now,
      until: now,
      isAlone: false,
      reporting: null
    }
    buckets.delete(name)
    buckets.set(name, known)
    // The bucket whose last request is the oldest. At most a piece of it is not reported.
    if (buckets.size > bucketsMax) buckets.delete(buckets.keys().next().value!)
    return known
  }

  /** Returns a function that returns the time after `now`, which is the present time of this call. */
  const timeAfter = (now: number) => {
    const startedNanos = clock.monotonicTimeNanosUnsafe()
    return () => now + Number(clock.monotonicTimeNanosUnsafe() - startedNanos) / nanosPerMilli
  }

  /** Reports what was used and takes more. Returns whether the row had it; `null` if the database did not answer. */
  const report = async (ref: BucketRef, now: number, { take, min }: Pick<Request, "take" | "min">) => {
    const known = knownOf(ref, now)
    const { used, usedAt } = known
    known.used = 0
    const presentTime = timeAfter(now)
    try {
      const { tokens, taken } = await rows.report(ref, now, { used, usedAt, take, min })
      // Requests of this process may have used tokens meanwhile.
      known.bucket = { tokens: tokens - known.used, at: now }
      known.from = now
      // After the report: it can take longer than `knownMillis`.
      known.until = presentTime() + knownMillis
      known.isAlone = false
      return taken
    } catch {
      known.used += used
      known.from = now
      known.until = presentTime() + aloneMillis
      known.isAlone = true
      return null
    }
  }

  /** Reports once for all requests that wait. */
  const reportOnce = (ref: BucketRef, now: number): Promise<void> => {
    const known = knownOf(ref, now)
    const reported = async () => {
      await report(ref, now, { take: 0, min: 0 })
      known.reporting = null
    }
    return (known.reporting ??= reported())
  }

  // A clock that was set back is before `from`.
  const isKnown = ({ from, until }: Known, now: number): boolean => from <= now && now < until

  const isStale = (ref: BucketRef, now: number): boolean => {
    const known = knownOf(ref, now)
    const { used, isAlone, reporting } = known
    return !isKnown(known, now) || reporting !== null || (!isAlone && used > 0 && used >= pieceOf(ref))
  }

  /** Whether a report has failed less than `aloneMillis` ago. */
  const countsAlone = (ref: BucketRef, now: number): boolean => {
    const known = knownOf(ref, now)
    return known.isAlone && isKnown(known, now)
  }

  return { knownOf, report, reportOnce, isStale, countsAlone }
}

/** Makes the limiter. Deletes the rows of full buckets every 10 minutes until the scope closes. */
export const makeSharedRateLimiter = (rows: RateBuckets): Effect.Effect<RateLimiter["Service"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const { knownOf, report, reportOnce, isStale, countsAlone } = makeKnownBuckets(rows, yield* Clock.Clock)

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
        if (!allowed) continue
        known.used += request.take
        known.usedAt = now
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
          for (const one of takenFrom) knownOf(one, now).used -= request.take
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
    return {
      take: (refs, now) => Effect.promise(() => decide(refs, now, oneToken)),
      takeMore: (refs, more, now) => Effect.promise(() => decide(refs, now, moreTokens(more)))
    }
  })
