/**
 * A warning about an unavailable store. A store that fails makes every message fail, so the log gets one line per reason and period.
 */
import { makeLogLimit } from "@mailkeep/core/binding"
import { Effect } from "effect"

const periodMillis = 10_000

/** Returns an effect that logs the warning, at most once in 10 s for each reason, with the number of failures since the last line. */
export const makeStoreWarning = (message: string): ((reason: string) => Effect.Effect<void>) => {
  const { logLine } = makeLogLimit(periodMillis)
  return (reason) => logLine(reason, (counted) => Effect.logWarning(message, { reason, ...counted }))
}
