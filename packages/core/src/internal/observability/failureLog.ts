/**
 * Logs what fails in code outside of the core: handlers of events, transports and event sinks. The author of the code finds the class of the error and
 * its stack frames in the log.
 * Source: decision 0046.
 */
import { Cause, Effect } from "effect"
import { secondMillis } from "../../domain/value/Instant.ts"
import { bugReports } from "../../domain/observability/bugReport.ts"
import { makeLogLimit } from "../../telemetry/logLimit.ts"

/** At most one line for each subject in this time. */
const logEveryMillis = 10 * secondMillis

/** A failure, and what its line has besides. */
export interface LoggedFailure {
  /** What failed, among all that have this log. */
  readonly subject: string
  readonly fields: Readonly<Record<string, string>>
  readonly cause: Cause.Cause<unknown>
}

/**
 * Makes a log of one message. It writes the first failure of each subject at once, and then at most one line every 10 s with the number of failures. A
 * line has the class of the error and its stack frames, but no message of the error, which may contain an address.
 */
export const makeFailureLog = (
  message: string,
  log: typeof Effect.logWarning
): ((failure: LoggedFailure) => Effect.Effect<void>) => {
  const { logLine } = makeLogLimit(logEveryMillis)
  return ({ subject, fields, cause }) =>
    logLine(subject, (counted) => {
      const [{ error, at } = { error: "interrupted", at: [] }] = bugReports(cause)
      return log(message, { ...fields, error, at, ...counted })
    })
}

/** Makes the log of the defects of one adapter. */
export const makeDefectLog = (message: string): (<A, E, R>(run: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) => {
  const logFailure = makeFailureLog(message, Effect.logError)
  return Effect.tapDefect((defect) => logFailure({ subject: "defect", fields: {}, cause: Cause.die(defect) }))
}
