/**
 * The rows of the rate limits: one bucket of tokens for each limit. Each function is one statement, so a pooler may give it any connection.
 */
import type { BucketRef } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import type { Database } from "./database.ts"
import { attempt } from "./runStatements.ts"
import { isRepeatable } from "./sqlStates.ts"

/** A clock that is behind by more than this was set back. The bucket then refills from the new time. */
const clockSetBackMillis = 10_000

/** What a process reports about a bucket, and what it asks for. */
interface RateReport {
  /** The tokens that requests have used since the last report. */
  readonly used: number
  /** When the last of these requests was. The bucket has refilled since. */
  readonly usedAt: number
  /** The tokens to take now. */
  readonly take: number
  /** Takes them only if the bucket has at least this many. */
  readonly min: number
}

/** A bucket after a report. */
interface ReportedBucket {
  readonly tokens: number
  readonly taken: boolean
}

export interface RateBuckets {
  /** Reports to a bucket, and takes from it. A bucket without a row is full. */
  readonly report: (ref: BucketRef, now: number, report: RateReport) => Promise<ReportedBucket>
  /** Deletes the rows of full buckets. */
  readonly deleteFull: (now: number) => Promise<void>
}

/** `bucket` is the existing row, and `EXCLUDED` the row of a full bucket at the present time. */
const reportSql = (schema: string): string => {
  const refilled = (tokens: string, from: string, to: string) =>
    `LEAST($2::float8, ${tokens} + GREATEST(0, ${to} - ${from}) * $2::float8 / $3::float8)`
  // The row may be newer than the reported requests, and the clock may have been set back since.
  const usedAt = `GREATEST(bucket.counted_at, LEAST($8::bigint, EXCLUDED.counted_at))`
  const unused = refilled("bucket.tokens", "bucket.counted_at", usedAt)
  const left = refilled(`${unused} - $5::float8`, usedAt, "EXCLUDED.counted_at")
  const leftOfFull = refilled("$2::float8 - $5::float8", "$8::bigint", "$4::bigint")
  // As in the core: a token is available if less than a millisecond is missing.
  const hasEnough = (tokens: string) => `${tokens} > $7::float8 - $2::float8 / $3::float8`
  const after = (tokens: string) => `${tokens} - CASE WHEN ${hasEnough(tokens)} THEN $6::float8 ELSE 0 END`
  return `INSERT INTO ${schema}.rate_buckets AS bucket (name, capacity, window_millis, counted_at, tokens, taken)
VALUES ($1, $2::float8, $3::float8, $4::bigint, ${after(leftOfFull)}, ${hasEnough(leftOfFull)})
ON CONFLICT (name) DO UPDATE SET
  capacity = EXCLUDED.capacity,
  window_millis = EXCLUDED.window_millis,
  counted_at = CASE WHEN bucket.counted_at > EXCLUDED.counted_at + ${clockSetBackMillis} THEN EXCLUDED.counted_at
    ELSE GREATEST(bucket.counted_at, EXCLUDED.counted_at) END,
  tokens = ${after(left)},
  taken = ${hasEnough(left)}
RETURNING tokens::numeric, taken`
}

const deleteFullSql = (schema: string): string => `DELETE FROM ${schema}.rate_buckets
WHERE tokens + GREATEST(0, $1::bigint - counted_at) * capacity / window_millis >= capacity`

export const makeRateBuckets = (database: Database, schema: string): RateBuckets => {
  const report = reportSql(schema)
  const deleteFull = deleteFullSql(schema)
  return {
    report: ({ scope, id, limit }, now, { used, usedAt, take, min }) => {
      const values = [`${scope}/${id}`, limit.requests, limit.windowMillis, now, used, take, min, usedAt]
      const once = () =>
        database.use(async (connection) => {
          const [row] = await connection.query<{ readonly tokens: string; readonly taken: boolean }>(report, values)
          return { tokens: Number(row!.tokens), taken: row!.taken }
        })
      // Where the default isolation of the database is stricter than READ COMMITTED, it loses against another report to the same bucket.
      return Effect.runPromise(attempt(once, isRepeatable))
    },
    deleteFull: async (now) => {
      await database.use((connection) => connection.query(deleteFull, [now]))
    }
  }
}
