/**
 * What one process knows of the shared rate limits, and its reports to their rows. Source: decision 0079.
 */
import type { Bucket, BucketRef } from "@mailkeep/core/adapter"
import { fullBucket } from "@mailkeep/core/adapter"
import type { Clock } from "effect"
import { Effect, Latch } from "effect"
import type { RateBuckets } from "./rateBuckets.ts"

/** A process uses at most this part of the requests of a limit before it reports them. */
const pieceDivisor = 20
/** For how long after a report a process decides by what it knows, in milliseconds. */
const knownMillis = 1000
/** After a report that failed, the process counts by itself for this long, in milliseconds. */
const aloneMillis = 1000
const bucketsMax = 10_000
const nanosPerMilli = 1e6

/** The requests that a process may use before it reports them; 0 means that each request is a statement of its own. */
export const pieceOf = ({ limit }: BucketRef): number => Math.floor(limit.requests / pieceDivisor)

/** What this process knows of a bucket. */
interface Known {
  /** The last request for the bucket had this limit. */
  ref: BucketRef
  bucket: Bucket
  /** Used and not reported yet. */
  used: number
  /** Returns the present time, by the first request in `used`. */
  timeSinceFirst: () => number
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

/** The state of each bucket. Forgets the bucket whose last request is the oldest: at most a piece of it is not reported. */
const makeBucketStates = () => {
  const buckets = new Map<string, Known>()
  return {
    knownOf: (ref: BucketRef, now: number): Known => {
      const name = `${ref.scope}/${ref.id}`
      const known = buckets.get(name) ?? {
        ref,
        bucket: fullBucket(ref.limit, now),
        used: 0,
        timeSinceFirst: () => now,
        usedAt: now,
        from: now,
        until: now,
        isAlone: false,
        reporting: null
      }
      known.ref = ref
      buckets.delete(name)
      buckets.set(name, known)
      if (buckets.size > bucketsMax) buckets.delete(buckets.keys().next().value!)
      return known
    },
    unreported: (): ReadonlyArray<Known> => [...buckets.values()].filter(({ used }) => used !== 0)
  }
}

/** Returns a function that returns the time after `now`, which is the present time of the call. */
type TimeAfter = (now: number) => () => number

const makeTimeAfter =
  (clock: Clock.Clock): TimeAfter =>
  (now) => {
    const startedNanos = clock.monotonicTimeNanosUnsafe()
    return () => now + Number(clock.monotonicTimeNanosUnsafe() - startedNanos) / nanosPerMilli
  }

/** Reports to the rows, and keeps what they answer. */
const makeReports = (rows: RateBuckets, knownOf: (ref: BucketRef, now: number) => Known, timeAfter: TimeAfter) => {
  /** Reports what was used and takes more. Returns whether the row had it; `null` if the database did not answer. */
  const report = async (
    ref: BucketRef,
    now: number,
    { take, min }: { readonly take: number; readonly min: number }
  ): Promise<boolean | null> => {
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

  return { report, reportOnce }
}

/** Whether the process decides by what it knows. A clock that was set back is before `from`. */
const isKnown = ({ from, until }: Known, now: number): boolean => from <= now && now < until

/** Buckets as one process knows them. `clock` measures how long a report takes. */
export const makeKnownBuckets = (rows: RateBuckets, clock: Clock.Clock) => {
  const { knownOf, unreported } = makeBucketStates()
  const timeAfter = makeTimeAfter(clock)
  const { report, reportOnce } = makeReports(rows, knownOf, timeAfter)
  const hasUnreported = Latch.makeUnsafe(false)

  /** Whether a report has failed less than `aloneMillis` ago. */
  const countsAlone = (ref: BucketRef, now: number): boolean => {
    const known = knownOf(ref, now)
    return known.isAlone && isKnown(known, now)
  }

  /** Reports one bucket after another. If the database does not answer, leaves the rest for the next time. */
  const reportUnreported = Effect.gen(function* () {
    for (const { ref, usedAt, timeSinceFirst } of unreported()) {
      const now = Math.floor(Math.max(usedAt, timeSinceFirst()))
      yield* Effect.promise(() => reportOnce(ref, now))
      if (countsAlone(ref, now)) return yield* hasUnreported.open
    }
  })

  return {
    knownOf,
    report,
    reportOnce,
    countsAlone,
    /** Whether the process must report to the bucket before it decides. */
    isStale: (ref: BucketRef, now: number): boolean => {
      const known = knownOf(ref, now)
      const { used, isAlone, reporting } = known
      return !isKnown(known, now) || reporting !== null || (!isAlone && used > 0 && used >= pieceOf(ref))
    },
    /** Counts the tokens that a request has used, or gives them back. */
    count: (ref: BucketRef, now: number, tokens: number): void => {
      const known = knownOf(ref, now)
      if (known.used === 0) known.timeSinceFirst = timeAfter(now)
      known.used += tokens
      known.usedAt = now
      hasUnreported.openUnsafe()
    },
    /** Reports what was used, 1 s after the first request that is not reported. */
    keepReporting: hasUnreported.await.pipe(
      Effect.andThen(Effect.sleep(knownMillis)),
      Effect.andThen(hasUnreported.close),
      Effect.andThen(reportUnreported),
      Effect.forever
    )
  }
}

export type KnownBuckets = ReturnType<typeof makeKnownBuckets>
