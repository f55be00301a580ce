/**
 * A clock that starts at a given instant and then runs at normal speed.
 */
import { Clock, Effect, Layer } from "effect"

export const clockFrom = (start: number): Layer.Layer<never> =>
  Layer.effect(
    Clock.Clock,
    Effect.map(Clock.Clock, (real): Clock.Clock => {
      const shift = start - real.currentTimeMillisUnsafe()
      const shiftNanos = BigInt(shift) * 1_000_000n
      return {
        currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() + shift,
        currentTimeMillis: Effect.sync(() => real.currentTimeMillisUnsafe() + shift),
        currentTimeNanosUnsafe: () => real.currentTimeNanosUnsafe() + shiftNanos,
        currentTimeNanos: Effect.sync(() => real.currentTimeNanosUnsafe() + shiftNanos),
        monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: real.monotonicTimeNanos,
        sleep: (duration) => real.sleep(duration)
      }
    })
  )
