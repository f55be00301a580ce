/**
 * A warning that is logged at most once, however often the effect runs.
 */
import { Effect } from "effect"

/** Returns an effect that logs the warning at its first run, and nothing afterwards. */
export const logWarningOnce = (message: string): Effect.Effect<void> => {
  let logged = false
  return Effect.suspend(() => {
    if (logged) return Effect.void
    logged = true
    return Effect.logWarning(message)
  })
}
