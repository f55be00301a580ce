/**
 * A warning about an unavailable store. A store that fails makes every message fail, so the log gets one line per reason and period.
 */
import { makeLogLimit } from "@mailkeep/core/binding"
import { Effect } from "effect"

const periodMillis = 10_000

/** Returns an effect that logs the warning, at most once in 10 s for each reason. Each line has the number of warnings that were left out before it. */
export const makeStoreWarning = (message: string): ((reason: string) => Effect.Effect<void>) => {
  const { takeLogLine } = makeLogLimit(periodMillis)
  return (reason) =>
    Effect.flatMap(takeLogLine(reason), (leftOut) =>
      leftOut === null ? Effect.void : Effect.logWarning(message, { reason, alsoSinceTheLastLine: leftOut })
    )
}
