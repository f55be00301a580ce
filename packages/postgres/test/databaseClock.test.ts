/**
 * The clock of the server as the clock of several processes whose own clocks differ.
 */
import { hasPostgres, sharedPostgres } from "@mailkeep/test-support/postgres"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Pool } from "pg"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import type { Database } from "../src/internal/database.ts"
import { makeDatabase } from "../src/internal/database.ts"
import { betterMeasurement, makeDatabaseClock } from "../src/internal/databaseClock.ts"

const minuteMillis = 60_000

/** A machine whose wall clock is wrong. */
const skewedBy = (base: Clock.Clock, millis: number): Clock.Clock => {
  const now = () => base.currentTimeMillisUnsafe() + millis
  const nanos = () => BigInt(Math.floor(now())) * 1_000_000n
  return {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => base.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: base.monotonicTimeNanos,
    sleep: (duration) => base.sleep(duration)
  }
}

const clockOf = (database: Database, skewMillis: number) =>
  Effect.gen(function* () {
    const base = yield* Clock.Clock
    return yield* Effect.provideService(makeDatabaseClock(database), Clock.Clock, skewedBy(base, skewMillis))
  })

describe("betterMeasurement", () => {
  const first = { serverMillis: 1000, monotonicMillis: 0, boundMillis: 4 }

  it("keeps the more exact of two that agree", () => {
    const slow = { serverMillis: 11_030, monotonicMillis: 10_000, boundMillis: 40 }
    expect(betterMeasurement(first, slow)).toBe(first)
  })

  it("takes a new one that is at least as exact as the old one is by now", () => {
    // After 10 s, the first can be wrong by 6 ms.
    const next = { serverMillis: 11_001, monotonicMillis: 10_000, boundMillis: 6 }
    expect(betterMeasurement(first, next)).toBe(next)
  })

  it("takes a less exact one that contradicts the old one, because the clock of the server was set", () => {
    const next = { serverMillis: 71_000, monotonicMillis: 10_000, boundMillis: 40 }
    expect(betterMeasurement(first, next)).toBe(next)
  })
})

describe.skipIf(!hasPostgres())("makeDatabaseClock", () => {
  let pool: Pool
  beforeAll(async () => {
    pool = new Pool({ connectionString: (await sharedPostgres()).urlOf("postgres") })
  }, 60_000)
  afterAll(() => pool.end())

  it("gives two processes whose clocks differ by two minutes the same time within its bounds", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const database = makeDatabase(pool)
        const early = yield* clockOf(database, -minuteMillis)
        const late = yield* clockOf(database, minuteMillis)
        const bound = (yield* early.boundMillis) + (yield* late.boundMillis)
        const difference = (yield* late.clock.currentTimeMillis) - (yield* early.clock.currentTimeMillis)
        // Both are whole milliseconds, and the second was read later.
        expect(Math.abs(difference)).toBeLessThan(bound + 50)
        expect(bound).toBeLessThan(minuteMillis)
        const [row] = yield* Effect.promise(() =>
          database.use((connection) =>
            connection.query<{ readonly millis: number }>(
              "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS millis"
            )
          )
        )
        expect(Math.abs((yield* early.clock.currentTimeMillis) - row!.millis)).toBeLessThan(bound + 1000)
      }).pipe(Effect.scoped)
    ))

  it("reads the time of a server that writes few digits of a number", async () => {
    const connectionString = (await sharedPostgres()).urlOf("postgres")
    const rounding = new Pool({ connectionString, options: "-c extra_float_digits=-15" })
    onTestFinished(() => rounding.end())
    const [exact, rounded] = await Effect.runPromise(
      Effect.scoped(
        Effect.forEach([pool, rounding], (one) =>
          Effect.map(makeDatabaseClock(makeDatabase(one)), ({ clock }) => clock.currentTimeMillisUnsafe())
        )
      )
    )
    expect(Math.abs(rounded! - exact!)).toBeLessThan(minuteMillis)
  })

  it("does not notice when the wall clock of the machine is set", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const base = yield* Clock.Clock
        let shift = 0
        const shifting = { ...skewedBy(base, 0), currentTimeMillisUnsafe: () => base.currentTimeMillisUnsafe() + shift }
        const { clock } = yield* Effect.provideService(makeDatabaseClock(makeDatabase(pool)), Clock.Clock, shifting)
        const before = clock.currentTimeMillisUnsafe()
        shift = -minuteMillis
        expect(clock.currentTimeMillisUnsafe() - before).toBeLessThan(minuteMillis / 2)
        expect(clock.currentTimeMillisUnsafe()).toBeGreaterThanOrEqual(before)
      }).pipe(Effect.scoped)
    ))

  it("reads the clock of the server every 10 s, and keeps its time while the server does not answer", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        let serverMillis = 1_900_000_000_000
        let readings = 0
        let isDown = false
        const read = async () => {
          if (isDown) throw new Error("connection lost")
          readings++
          return [{ millis: serverMillis }] as never
        }
        const database: Database = {
          use: (run) => run({ query: read, prepared: read })
        }
        const settle = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        const { clock } = yield* makeDatabaseClock(database)
        expect(readings).toBe(3)
        expect(clock.currentTimeMillisUnsafe()).toBe(serverMillis)
        yield* TestClock.adjust("5 seconds")
        expect(clock.currentTimeMillisUnsafe()).toBe(serverMillis + 5000)
        isDown = true
        yield* TestClock.adjust("5 seconds")
        yield* settle
        expect(clock.currentTimeMillisUnsafe()).toBe(serverMillis + 10_000)
        isDown = false
        serverMillis += 3_600_000
        yield* TestClock.adjust("10 seconds")
        yield* settle
        expect(readings).toBe(4)
        expect(clock.currentTimeMillisUnsafe()).toBe(serverMillis)
      }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
    ))
})
