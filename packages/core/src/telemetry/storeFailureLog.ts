/**
 * The log of calls that fail because the store, or a rate limiter, is unavailable. Then every call fails, so there is one line per reason and period.
 */
import { Effect } from "effect"
import { secondMillis } from "../domain/value/Instant.ts"
import { makeLogLimit } from "./logLimit.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"

const periodMillis = 10 * secondMillis

/** Logs one failure, unless one with the same reason was logged in the last 10 s. */
export type StoreFailureLog = (failure: StoreUnavailable) => Effect.Effect<void>

/**
 * Makes the log. `consequence` is a sentence on what the failure does to callers. Each line has it, the reason, the message of the failure, and the
 * number of failures since the last line.
 */
export const makeStoreFailureLog = (consequence: string): StoreFailureLog => {
  const { logLine } = makeLogLimit(periodMillis)
  return ({ reason, message: detail }) =>
    logLine(reason, (counted) => Effect.logWarning(consequence, { reason, detail, ...counted }))
}
