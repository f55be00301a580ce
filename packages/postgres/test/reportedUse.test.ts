/**
 * When a process reports what it has used of a shared rate limit without a further request.
 */
import type { BucketRefs, RateLimiter } from "@mailkeep/core/adapter"
import { hasPostgres, sharedPostgres } from "@mailkeep/test-support/postgres"
import { Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Pool } from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import { makeDatabase } from "../src/internal/database.ts"
import type { RateBuckets } from "../src/internal/rateBuckets.ts"
import { makeRateBuckets } from "../src/internal/rateBuckets.ts"
import { sql as storeTables } from "../src/internal/schema/store.ts"
import { makeSharedRateLimiter } from "../src/internal/sharedRateLimiter.ts"

const schema = '"mailkeep"'
const start = 1_900_000_000_000

const hundred: BucketRefs = [{ scope: "project", id: "prj_a", limit: { requests: 100, windowMillis: 60_000 } }]

/** Makes `count` requests of one limiter. Returns the number of allowed requests. */
const allowedOf = (limiter: RateLimiter["Service"], count: number, now: number, refs = hundred) =>
  Effect.map(
    Effect.forEach(Array.from({ length: count }), () => limiter.take(refs, now)),
    (decisions) => decisions.filter(({ allowed }) => allowed).length
  )

/** Rows that keep the used tokens of each report, and a function that waits for the reports under way. */
const watchedRows = (rows: RateBuckets) => {
  const used: Array<number> = []
  let last: Promise<unknown> = Promise.resolve()
  const watched: RateBuckets = {
    ...rows,
    report: (ref, now, report) => {
      used.push(report.used)
      const reported = rows.report(ref, now, report)
      last = Promise.allSettled([last, reported])
      return reported
    }
  }
  const reported = Effect.promise(() => last.then(() => new Promise((resolve) => setImmediate(resolve))))
  return { rows: watched, used, reported }
}

/** Rows without a database, whose buckets are always full. */
const fullRows: RateBuckets = {
  report: ({ limit }) => Promise.resolve({ tokens: limit.requests, taken: true }),
  deleteFull: () => Promise.resolve()
}

const onTestClock = <A>(program: Effect.Effect<A, unknown, Scope.Scope>): Promise<A> =>
  Effect.andThen(TestClock.setTime(start), program).pipe(
    Effect.scoped,
    Effect.provide(TestClock.layer()),
    Effect.runPromise
  )

describe("what a process has used of a shared rate limit", () => {
  it.skipIf(!hasPostgres())("is missing for no process after a pause in which the limit has refilled", async () => {
    const server = await sharedPostgres()
    const name = await server.createDatabase()
    await server.run(name, `CREATE SCHEMA ${schema}`, storeTables(schema))
    const pool = new Pool({ connectionString: server.urlOf(name), max: 4 })
    onTestFinished(() => pool.end())
    const allowed = await onTestClock(
      Effect.gen(function* () {
        const { rows, reported } = watchedRows(makeRateBuckets(makeDatabase(pool), schema))
        const limiters = yield* Effect.replicateEffect(makeSharedRateLimiter(rows), 4)
        // Fewer requests than a process reports at once.
        for (const limiter of limiters) expect(yield* allowedOf(limiter, 4, start)).toBe(4)
        yield* TestClock.adjust("1 second")
        yield* reported
        const counts = yield* Effect.forEach(limiters, (limiter) => allowedOf(limiter, 1, start + 60_000))
        yield* TestClock.adjust("1 minute")
        yield* reported
        const rest = yield* allowedOf(limiters[0]!, 110, start + 61_000)
        return counts.reduce((sum, count) => sum + count, rest)
      })
    )
    expect(allowed).toBeGreaterThanOrEqual(100)
  })

  it("is reported 1 s after the first request, once, and then not again", () =>
    onTestClock(
      Effect.gen(function* () {
        const { rows, used, reported } = watchedRows(fullRows)
        const limiter = yield* makeSharedRateLimiter(rows)
        yield* TestClock.adjust("1 minute")
        expect(used).toEqual([])
        yield* allowedOf(limiter, 1, start + 60_000)
        yield* TestClock.adjust("600 millis")
        yield* allowedOf(limiter, 2, start + 60_600)
        yield* TestClock.adjust("399 millis")
        yield* reported
        // The first request has read the bucket.
        expect(used).toEqual([0])
        yield* TestClock.adjust("1 millis")
        yield* reported
        expect(used).toEqual([0, 3])
        yield* TestClock.adjust("5 minutes")
        yield* reported
        expect(used).toEqual([0, 3])
      })
    ))

  it("is reported with the time of the report, also when the given time differs from the clock", () =>
    onTestClock(
      Effect.gen(function* () {
        const times: Array<readonly [now: number, usedAt: number]> = []
        const { rows, reported } = watchedRows({
          ...fullRows,
          report: (ref, now, report) => {
            times.push([now, report.usedAt])
            return fullRows.report(ref, now, report)
          }
        })
        const limiter = yield* makeSharedRateLimiter(rows)
        yield* allowedOf(limiter, 1, 5000)
        yield* TestClock.adjust("1000.5 millis")
        yield* reported
        expect(times.at(-1)).toEqual([6000, 5000])
      })
    ))

  it("is reported every second while the database does not answer, and once when it answers", () =>
    onTestClock(
      Effect.gen(function* () {
        let isDown = true
        const { rows, used, reported } = watchedRows({
          ...fullRows,
          report: (...args) => (isDown ? Promise.reject(new Error("connection lost")) : fullRows.report(...args))
        })
        const limiter = yield* makeSharedRateLimiter(rows)
        yield* allowedOf(limiter, 7, start)
        for (const _ of [1, 2]) {
          yield* TestClock.adjust("1 second")
          yield* reported
        }
        expect(used).toEqual([0, 7, 7])
        isDown = false
        for (const _ of [1, 2]) {
          yield* TestClock.adjust("1 second")
          yield* reported
        }
        expect(used).toEqual([0, 7, 7, 7])
      })
    ))

  it("is reported for one bucket alone while the database does not answer", () =>
    onTestClock(
      Effect.gen(function* () {
        const { rows, used, reported } = watchedRows({
          ...fullRows,
          report: () => Promise.reject(new Error("connection lost"))
        })
        const limiter = yield* makeSharedRateLimiter(rows)
        for (const id of ["prj_a", "prj_b", "prj_c"]) yield* allowedOf(limiter, 1, start, [{ ...hundred[0], id }])
        expect(used).toEqual([0, 0, 0])
        yield* TestClock.adjust("1 second")
        yield* reported
        expect(used).toEqual([0, 0, 0, 1])
      })
    ))

  it("is reported for no further bucket after the store has closed during a report", () =>
    onTestClock(
      Effect.gen(function* () {
        const released = Promise.withResolvers<void>()
        const { rows, used, reported } = watchedRows({
          ...fullRows,
          report: async (ref, now, report) => {
            if (report.used > 0) await released.promise
            return fullRows.report(ref, now, report)
          }
        })
        const scope = yield* Scope.make()
        const limiter = yield* Effect.provideService(makeSharedRateLimiter(rows), Scope.Scope, scope)
        for (const id of ["prj_a", "prj_b", "prj_c"]) yield* allowedOf(limiter, 1, start, [{ ...hundred[0], id }])
        yield* TestClock.adjust("1 second")
        expect(used).toEqual([0, 0, 0, 1])
        yield* Scope.close(scope, Exit.void)
        released.resolve()
        yield* reported
        expect(used).toEqual([0, 0, 0, 1])
      })
    ))

  it("is reported no more after the store has closed", () =>
    onTestClock(
      Effect.gen(function* () {
        const { rows, used, reported } = watchedRows(fullRows)
        const scope = yield* Scope.make()
        const limiter = yield* Effect.provideService(makeSharedRateLimiter(rows), Scope.Scope, scope)
        yield* allowedOf(limiter, 1, start)
        yield* Scope.close(scope, Exit.void)
        yield* TestClock.adjust("1 minute")
        yield* reported
        expect(used).toEqual([0])
      })
    ))
})
