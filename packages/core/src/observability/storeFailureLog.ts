/**
 * The log of calls that an unavailable store makes fail. Such a store makes every call fail, so there is one line per reason and period.
 */
import { Effect } from "effect"
import { secondMillis } from "../domain/value/Instant.ts"
import { given } from "../domain/value/OptionRule.ts"
import { makeLogLimit } from "./logLimit.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"

const periodMillis = 10 * secondMillis

/** Logs one failure of the store, unless the same reason was logged in the last 10 s. */
export type StoreFailureLog = (failure: StoreUnavailable) => Effect.Effect<void>

/** Makes the log. Each line has the message, the reason, what to do when the store knows it, and the number of failures since the last line. */
export const makeStoreFailureLog = (message: string): StoreFailureLog => {
  const { logLine } = makeLogLimit(periodMillis)
  return ({ reason, detail }) =>
    logLine(reason, (counted) => Effect.logWarning(message, { reason, ...given({ detail }), ...counted }))
}
