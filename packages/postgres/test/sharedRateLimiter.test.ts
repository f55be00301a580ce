/**
 * Rate limits of several processes on one database: what all of them allow together, and what happens without the database.
 */
import type { BucketRefs, RateLimiter } from "@mailkeep/core/adapter"
import { hasPostgres, openWatched, sharedPostgres } from "@mailkeep/test-support/postgres"
import { startBouncer } from "@mailkeep/test-support/postgresBouncer"
import { Clock, Effect, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Pool } from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeDatabase } from "../src/internal/database.ts"
import type { RateBuckets } from "../src/internal/rateBuckets.ts"
import { makeRateBuckets } from "../src/internal/rateBuckets.ts"
import { sql as storeTables } from "../src/internal/schema/store.ts"
import { makeSharedRateLimiter } from "../src/internal/sharedRateLimiter.ts"

const schema = '"mailkeep"'
const start = 1_900_000_000_000

const bucketOf = (requests: number, windowMillis = 60_000): BucketRefs => [
  { scope: "project", id: "prj_a", limit: { requests, windowMillis } }
]

describe.skipIf(!hasPostgres())("rate limits over PostgreSQL", () => {
  const watched = openWatched()
  let pools: ReadonlyArray<Pool> = []
  /** Makes a database with the tables, and returns its address for four processes. */
  let urlsOfDatabase: (isolation?: string) => Promise<ReadonlyArray<string>>
  beforeAll(async () => {
    const server = await sharedPostgres()
    const bouncer = await startBouncer(watched, server)
    urlsOfDatabase = async (isolation = "read committed") => {
      const name = await server.createDatabase()
      await server.run(name, `CREATE SCHEMA ${schema}`, storeTables(schema))
      await server.run(name, `ALTER DATABASE ${name} SET default_transaction_isolation = '${isolation}'`)
      return [server.urlOf(name), server.urlOf(name), bouncer.urlOf(name), bouncer.urlOf(name)]
    }
  }, 60_000)
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()))
    await watched.close()
  })

  /** Four limiters as four processes have them, two of them through pgbouncer. Counts the statements of all. */
  const fourLimiters = async (isolation?: string) => {
    const made = (await urlsOfDatabase(isolation)).map((connectionString) => new Pool({ connectionString, max: 4 }))
    pools = [...pools, ...made]
    let statements = 0
    const counted = (rows: RateBuckets): RateBuckets => ({
      ...rows,
      report: (...args) => {
        statements++
        return rows.report(...args)
      }
    })
    const limiters = await Promise.all(
      made.map((pool) =>
        Effect.runPromise(
          Effect.provideService(
            makeSharedRateLimiter(counted(makeRateBuckets(makeDatabase(pool), schema))),
            Scope.Scope,
            Effect.runSync(Scope.make())
          )
        )
      )
    )
    return { limiters, statements: () => statements }
  }

  type Limiters = Awaited<ReturnType<typeof fourLimiters>>["limiters"]

  /** Each limiter gets `count` requests, all at once. Returns the number of allowed requests. */
  const allowedOf = async (limiters: Limiters, refs: BucketRefs, count: number, now: number) => {
    const decisions = await Promise.all(
      limiters.flatMap((limiter) => Array.from({ length: count }, () => Effect.runPromise(limiter.take(refs, now))))
    )
    return decisions.filter(({ allowed }) => allowed).length
  }

  it("allows exactly the requests of a small limit over all processes", async () => {
    const { limiters } = await fourLimiters()
    expect(await allowedOf(limiters, bucketOf(10), 20, start)).toBe(10)
    // A tenth of the window refills one token.
    expect(await allowedOf(limiters, bucketOf(10), 20, start + 6000)).toBe(1)
  })

  it.each(["repeatable read", "serializable"])(
    "allows exactly the requests of a small limit where the default of the database is %s",
    async (isolation) => {
      const { limiters } = await fourLimiters(isolation)
      expect(await allowedOf(limiters, bucketOf(10), 20, start)).toBe(10)
    }
  )

  it("allows at most one twentieth more for each process of a large limit, and sends few statements", async () => {
    const { limiters, statements } = await fourLimiters()
    const allowed = await allowedOf(limiters, bucketOf(1000), 600, start)
    expect(allowed).toBeGreaterThanOrEqual(1000)
    expect(allowed).toBeLessThanOrEqual(1000 + 4 * 50)
    expect(statements()).toBeLessThanOrEqual(40)
    // What was used beyond the limit is missing afterwards: the sum over a longer time is right.
    const later = await allowedOf(limiters, bucketOf(1000), 600, start + 30_000)
    expect(allowed + later).toBeLessThanOrEqual(1500 + 4 * 50)
  })

  it("notices within a second what another process has used", async () => {
    const { limiters } = await fourLimiters()
    const [one, other] = limiters
    expect(await allowedOf([other!], bucketOf(100), 1, start)).toBe(1)
    expect(await allowedOf([one!], bucketOf(100), 200, start)).toBe(100)
    expect(await allowedOf([other!], bucketOf(100), 200, start)).toBeLessThanOrEqual(5)
    const refused = await Effect.runPromise(other!.take(bucketOf(100), start + 500))
    expect(refused).toMatchObject({ allowed: false, scope: "project", remaining: 0 })
    expect(refused.retryAfterSeconds).toBeGreaterThanOrEqual(1)
  })

  it("takes from no bucket when one of two is empty", async () => {
    const { limiters } = await fourLimiters()
    const project = bucketOf(10)[0]
    const refs: BucketRefs = [project, { scope: "api_key", id: "key_a", limit: { requests: 4, windowMillis: 60_000 } }]
    expect(await allowedOf(limiters, refs, 10, start)).toBe(4)
    expect(await allowedOf(limiters, [project], 10, start)).toBe(6)
  })

  it("lets a batch take more than is left once, and then refuses until the bucket has refilled", async () => {
    const { limiters } = await fourLimiters()
    const [one, other] = limiters
    const more = (at: number, limiter = one!) => Effect.runPromise(limiter.takeMore(bucketOf(100), 150, start + at))
    expect(await more(0)).toMatchObject({ allowed: true, remaining: 0 })
    expect(await more(0, other!)).toMatchObject({ allowed: false })
    expect(await allowedOf(limiters, bucketOf(100), 3, start + 1000)).toBe(0)
    expect(await more(31_000, other!)).toMatchObject({ allowed: true })
  })

  it("counts in the process while the database does not answer, and reports afterwards", async () => {
    const hundred = bucketOf(100, 600_000)
    let isDown = true
    const { limiters } = await fourLimiters()
    const pool = pools.at(-4)!
    const rows = makeRateBuckets(makeDatabase(pool), schema)
    const failing: RateBuckets = {
      ...rows,
      report: (...args) => (isDown ? Promise.reject(new Error("connection lost")) : rows.report(...args))
    }
    const scope = Effect.runSync(Scope.make())
    const alone = await Effect.runPromise(Effect.provideService(makeSharedRateLimiter(failing), Scope.Scope, scope))
    expect(await allowedOf([alone], hundred, 150, start)).toBe(100)
    isDown = false
    // The second begins after the report, which took some time.
    expect(await allowedOf([alone], hundred, 1, start + 1100)).toBe(0)
    expect(await allowedOf(limiters, hundred, 10, start + 1100)).toBe(0)
  })

  it.each([true, false])(
    "allows the whole limit after it has refilled, if its row was deleted: %s",
    async (isDeleted) => {
      const { limiters } = await fourLimiters()
      const [one] = limiters
      // Too few requests for a report at once. The process reports them with its next request, or 1 s later.
      expect(await allowedOf([one!], bucketOf(100), 4, start)).toBe(4)
      const later = start + 60_000
      if (isDeleted) await makeRateBuckets(makeDatabase(pools.at(-4)!), schema).deleteFull(later)
      expect(await allowedOf([one!], bucketOf(100), 110, later)).toBe(100)
    }
  )

  it("deletes the rows of full buckets every 10 minutes", async () => {
    const { limiters } = await fourLimiters()
    await allowedOf(limiters, bucketOf(10), 1, start)
    const pool = pools.at(-4)!
    const database = makeDatabase(pool)
    const countRows = async () =>
      (await database.use((connection) => connection.query("SELECT name FROM mailkeep.rate_buckets"))).length
    expect(await countRows()).toBe(1)
    const rows = makeRateBuckets(database, schema)
    await rows.deleteFull(start + 1000)
    expect(await countRows()).toBe(1)
    await Effect.runPromise(
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        let deleted: Promise<void> | undefined
        const noted: RateBuckets = { ...rows, deleteFull: (now) => (deleted = rows.deleteFull(now)) }
        yield* makeSharedRateLimiter(noted)
        yield* TestClock.adjust("10 minutes")
        yield* Effect.promise(async () => deleted)
      }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
    )
    expect(await countRows()).toBe(0)
  })
})

describe("a rate limit whose reports are slow", () => {
  const bucket = { tokens: 50, taken: true }
  it.each<readonly [string, () => Promise<typeof bucket>]>([
    ["fails", () => Promise.reject(new Error("connection lost"))],
    ["succeeds", () => Promise.resolve(bucket)]
  ])("lets no request wait for another report within the second after a report that %s", (_, end) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const context = yield* Effect.context()
      let reports = 0
      const limiter = yield* makeSharedRateLimiter({
        report: async () => {
          reports++
          await Effect.runPromiseWith(context)(TestClock.adjust("2 seconds"))
          return end()
        },
        deleteFull: () => Promise.resolve()
      })
      const takeOne = Effect.flatMap(Clock.currentTimeMillis, (now) => limiter.take(bucketOf(1000), now))
      expect(yield* takeOne).toMatchObject({ allowed: true })
      for (const millis of [0, 500, 499]) {
        yield* TestClock.adjust(millis)
        expect(yield* takeOne).toMatchObject({ allowed: true })
      }
      expect(reports).toBe(1)
      yield* TestClock.adjust(1)
      yield* takeOne
      expect(reports).toBe(2)
    }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)
  )

  it.each<
    readonly [
      string,
      number,
      (limiter: RateLimiter["Service"], now: number) => ReturnType<RateLimiter["Service"]["take"]>
    ]
  >([
    ["request of a small limit", 1, (limiter, now) => limiter.take(bucketOf(10), now)],
    ["batch", 5, (limiter, now) => limiter.takeMore(bucketOf(1000), 5, now)]
  ])("lets no %s wait for another report within the second after a report that fails", (_, tokens, take) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const context = yield* Effect.context()
      const usedInReports: Array<number> = []
      const limiter = yield* makeSharedRateLimiter({
        report: async (_ref, _now, { used }) => {
          usedInReports.push(used)
          await Effect.runPromiseWith(context)(TestClock.adjust("10 seconds"))
          throw new Error("connection lost")
        },
        deleteFull: () => Promise.resolve()
      })
      const takeOne = Effect.flatMap(Clock.currentTimeMillis, (now) => take(limiter, now))
      for (const millis of [0, 500, 499]) {
        yield* TestClock.adjust(millis)
        expect(yield* takeOne).toMatchObject({ allowed: true })
      }
      expect(usedInReports).toEqual([0])
      yield* TestClock.adjust(1)
      expect(usedInReports.slice(0, 2)).toEqual([0, 3 * tokens])
    }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)
  )

  it("reports again when the clock was set back", () =>
    Effect.gen(function* () {
      let reports = 0
      const limiter = yield* makeSharedRateLimiter({
        report: () => Promise.resolve({ ...bucket, tokens: 50 - reports++ }),
        deleteFull: () => Promise.resolve()
      })
      yield* limiter.take(bucketOf(1000), start)
      yield* limiter.take(bucketOf(1000), start + 500)
      expect(reports).toBe(1)
      yield* limiter.take(bucketOf(1000), start - 1)
      expect(reports).toBe(2)
    }).pipe(Effect.scoped, Effect.runPromise))
})
