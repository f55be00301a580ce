/**
 * A warning about an unavailable store. A store that fails makes every message fail, so the log gets one line per period.
 */
import { Clock, Effect } from "effect"

const periodMillis = 10_000

/** Returns an effect that logs the warning, at most once in 10 s. Each line has the number of warnings that were left out before it. */
export const makeStoreWarning = (message: string): ((reason: string) => Effect.Effect<void>) => {
  let lastAt: number | null = null
  let leftOut = 0
  return (reason) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      // A clock that moves backwards must not silence the log.
      if (lastAt !== null && Math.abs(now - lastAt) < periodMillis) {
        leftOut++
        return Effect.void
      }
      const alsoSinceTheLastLine = leftOut
      lastAt = now
      leftOut = 0
      return Effect.logWarning(message, { reason, alsoSinceTheLastLine })
    })
}
