/**
 * The log of handlers of events that fail. A product sees in it why a handler gets the same event again. Source: decision 0028.
 */
import type { Cause } from "effect"
import { Effect } from "effect"
import type { EventKind } from "../domain/event/MailEvent.ts"
import { secondMillis } from "../domain/value/Instant.ts"
import { bugReports } from "../port/bugReport.ts"
import { makeLogLimit } from "../port/logLimit.ts"

/** At most one line for each subscription in this time. */
const logEveryMillis = 10 * secondMillis

/** An event that a handler did not handle. */
export interface HandlerFailure {
  /** The id of the subscription. A product may put a name of a person into the name of a subscription, so the log does not have it. */
  readonly subscriptionId: string
  readonly kind: EventKind
  readonly cause: Cause.Cause<unknown>
}

/**
 * Makes a log. It writes the first failure of each subscription at once, and then at most one line every 10 s with the number of failures. A line has the
 * class of the error and its stack frames, but no message, which may contain an address.
 */
export const makeHandlerFailureLog = (): ((failure: HandlerFailure) => Effect.Effect<void>) => {
  const { takeLogLine } = makeLogLimit(logEveryMillis)
  return ({ subscriptionId, kind, cause }) =>
    Effect.flatMap(takeLogLine(subscriptionId), (leftOut) => {
      if (leftOut === null) return Effect.void
      const [{ error, at } = { error: "interrupted", at: [] }] = bugReports(cause)
      const failures = leftOut === 0 ? {} : { failures: leftOut + 1 }
      const fields = { subscriptionId, kind, error, at, ...failures }
      return Effect.logWarning("A handler of events failed. The event is tried again.", fields)
    })
}
