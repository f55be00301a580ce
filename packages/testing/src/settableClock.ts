/**
 * The clock of a test mail. Only the test moves it.
 */
import { Clock, Duration, Effect, Layer } from "effect"

interface Sleeper {
  readonly wakeAt: number
  readonly wake: () => void
}

/** A clock that a test moves, and the fibers that sleep by it. */
export interface SettableClock {
  /** Replaces the clock of Effect. */
  readonly layer: Layer.Layer<never>
  /** In UTC milliseconds. */
  readonly now: () => number
  /** When the next fiber wakes up, or `null` when none sleeps. */
  readonly nextWakeAt: () => number | null
  /** Sets the clock forward, and wakes the fibers whose time has come, in order. */
  readonly moveTo: (instant: number) => void
  /** Sets the clock back as an administrator does. A fiber sleeps for as long as before. */
  readonly setBackTo: (instant: number) => void
  /** How often the clock was read. The core reads the clock in each step, so an equal number means that nothing happened. */
  readonly reads: () => number
}

/** The largest number of milliseconds that a fiber sleeps. Effect sleeps for ever by an infinite duration. */
const sleepMillisMax = Number.MAX_SAFE_INTEGER

/** Makes a clock that shows `start`. */
export const makeSettableClock = (start: number): SettableClock => {
  // Time that has passed. The clock on the wall may be set back, this one may not.
  let passed = 0
  let offset = start
  let reads = 0
  let sleepers: ReadonlyArray<Sleeper> = []

  const read = <A>(value: () => A) => {
    reads++
    return value()
  }
  const millis = () => read(() => offset + passed)
  const nanos = () => BigInt(millis()) * 1_000_000n
  const monotonicNanos = () => read(() => BigInt(passed) * 1_000_000n)

  const sleep = (duration: Duration.Duration): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      const sleeper = {
        wakeAt: passed + Math.min(sleepMillisMax, Math.ceil(Duration.toMillis(duration))),
        wake: () => resume(Effect.void)
      }
      if (sleeper.wakeAt <= passed) return sleeper.wake()
      sleepers = [...sleepers, sleeper]
      return Effect.sync(() => {
        sleepers = sleepers.filter((other) => other !== sleeper)
      })
    })

  const wakeDue = (): void => {
    const due = sleepers.filter(({ wakeAt }) => wakeAt <= passed).toSorted((a, b) => a.wakeAt - b.wakeAt)
    sleepers = sleepers.filter(({ wakeAt }) => wakeAt > passed)
    for (const { wake } of due) wake()
  }

  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: monotonicNanos,
    monotonicTimeNanos: Effect.sync(monotonicNanos),
    sleep
  }

  return {
    layer: Layer.succeed(Clock.Clock, clock),
    now: () => offset + passed,
    nextWakeAt: () => (sleepers.length === 0 ? null : offset + Math.min(...sleepers.map(({ wakeAt }) => wakeAt))),
    moveTo: (instant) => {
      passed = Math.max(passed, instant - offset)
      wakeDue()
    },
    setBackTo: (instant) => {
      offset = instant - passed
    },
    reads: () => reads
  }
}
