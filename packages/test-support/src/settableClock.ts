/**
 * A wall clock that can be set forward or back. The monotonic clock and all sleeps are not affected, as on a machine whose time is corrected.
 */
import { Clock, Effect } from "effect"

/** Effects under `byClock` see the shifted time. The `TestClock` outside still advances the time itself. */
export const settableClock = Effect.map(Effect.clockWith(Effect.succeed), (base) => {
  let shiftMillis = 0
  const millis = () => base.currentTimeMillisUnsafe() + shiftMillis
  const nanos = () => BigInt(millis()) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => base.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: base.monotonicTimeNanos,
    sleep: (duration) => base.sleep(duration)
  }
  return {
    /** Runs an effect with the shifted clock. */
    byClock: Effect.provideService(Clock.Clock, clock),
    /** Sets how far the wall clock is ahead of the true time. */
    shiftTo: (millis: number) => Effect.sync(() => void (shiftMillis = millis))
  }
})
