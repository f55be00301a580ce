/**
 * A wall clock that can be set ahead or back while the monotonic clock and all sleeps run on, as on a machine whose time is corrected.
 */
import { Clock, Effect } from "effect"

/** Provide `clock` as `Clock.Clock` to what shall see the shifted time; move time itself by the `TestClock` outside of it. */
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
    /** Runs an effect by the shifted clock. */
    byClock: Effect.provideService(Clock.Clock, clock),
    /** How far the wall clock is ahead of the true time from now on. */
    shiftTo: (millis: number) => Effect.sync(() => void (shiftMillis = millis))
  }
})
