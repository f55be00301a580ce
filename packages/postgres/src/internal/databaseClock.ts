/**
 * The clock of the database server, for all processes that share a database: leases and due times of several machines are compared with one clock.
 * Source: decision 0080.
 */
import { Clock, Duration, Effect } from "effect"
import type { Scope } from "effect"
import type { Database } from "./database.ts"

/** One reading of the server's clock. `monotonicMillis` is the middle of the round trip by the clock of this process. */
interface Measurement {
  readonly serverMillis: number
  readonly monotonicMillis: number
  /** Half of the round trip: the server read its clock at most this long before or after the middle. */
  readonly boundMillis: number
}

/** How often the clock of the server is read again. */
const everyMillis = 10_000
/** The readings at the start. The one with the shortest round trip counts. */
const readingsAtStart = 3
/** How fast two quartz clocks can drift apart: 200 µs for each second, twice what is usual. */
const driftPerMilli = 0.0002
const nanosPerMilli = 1e6

const millisOf = (nanos: bigint): number => Number(nanos) / nanosPerMilli

/** A `numeric`, because the server rounds the text of a `float8` by its setting `extra_float_digits`. */
const sql = "SELECT extract(epoch FROM clock_timestamp()) * 1000 AS millis"

const measure = (database: Database, base: Clock.Clock): Effect.Effect<Measurement, unknown> =>
  Effect.tryPromise({
    try: () =>
      database.use(async (connection) => {
        // After the connection is there, because a login is a long round trip.
        const sentAt = millisOf(base.monotonicTimeNanosUnsafe())
        const [row] = await connection.query<{ readonly millis: string | number }>(sql)
        const receivedAt = millisOf(base.monotonicTimeNanosUnsafe())
        return {
          serverMillis: Number(row!.millis),
          monotonicMillis: (sentAt + receivedAt) / 2,
          boundMillis: (receivedAt - sentAt) / 2
        }
      }),
    catch: (cause) => cause
  })

const timeAt = ({ serverMillis, monotonicMillis }: Measurement, at: number): number =>
  serverMillis + (at - monotonicMillis)

/** How wrong the time of a measurement can be some time later. */
const boundAt = ({ boundMillis, monotonicMillis }: Measurement, at: number): number =>
  boundMillis + Math.abs(at - monotonicMillis) * driftPerMilli

/**
 * Chooses between the measurement in use and a new one. The new one is used if it is at least as exact, and if the two contradict each other. Then
 * the clock of the server was set, or another server has replaced it.
 */
export const betterMeasurement = (current: Measurement, next: Measurement): Measurement => {
  const at = next.monotonicMillis
  const contradicts = Math.abs(timeAt(current, at) - next.serverMillis) > boundAt(current, at) + next.boundMillis
  return contradicts || next.boundMillis <= boundAt(current, at) ? next : current
}

/** A clock, and how wrong it can be. */
export interface DatabaseClock {
  readonly clock: Clock.Clock
  /** The largest difference to the clock of the server now, in milliseconds: half of a round trip, and the drift since. */
  readonly boundMillis: Effect.Effect<number>
}

/**
 * Reads the clock of the server three times, and then every 10 s until the scope closes. Between the readings, the time advances with the monotonic
 * clock of the process. So the wall clock of the machine has no influence. A reading that fails changes nothing. Fails when the first readings fail.
 */
export const makeDatabaseClock = (database: Database): Effect.Effect<DatabaseClock, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const base = yield* Clock.Clock
    const first = yield* Effect.replicateEffect(measure(database, base), readingsAtStart)
    let current = first.reduce((best, one) => (one.boundMillis < best.boundMillis ? one : best))
    const again = Effect.map(measure(database, base), (next) => {
      current = betterMeasurement(current, next)
    })
    yield* Effect.ignore(again).pipe(Effect.delay(Duration.millis(everyMillis)), Effect.forever, Effect.forkScoped)
    const monotonicMillis = () => millisOf(base.monotonicTimeNanosUnsafe())
    const millis = () => Math.floor(timeAt(current, monotonicMillis()))
    const nanos = () => BigInt(millis()) * BigInt(nanosPerMilli)
    return {
      clock: {
        currentTimeMillisUnsafe: millis,
        currentTimeMillis: Effect.sync(millis),
        currentTimeNanosUnsafe: nanos,
        currentTimeNanos: Effect.sync(nanos),
        monotonicTimeNanosUnsafe: () => base.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: base.monotonicTimeNanos,
        sleep: (duration) => base.sleep(duration)
      },
      boundMillis: Effect.sync(() => boundAt(current, monotonicMillis()))
    }
  })
