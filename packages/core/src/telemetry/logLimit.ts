/**
 * Bounds how often a log line is written: the first at once, then one per period with the number of failures since the last one.
 */
import { Clock, Effect } from "effect"

/** The number of failures since the last line, with the one of this line. Absent when no line was left out. */
export interface LoggedFailures {
  readonly failures?: number
}

/** A limit for the lines of one log. */
export interface LogLimit {
  /** Writes a line on this subject, unless one was written in the period. `write` gets the fields to add to the line. */
  readonly logLine: (subject: string, write: (counted: LoggedFailures) => Effect.Effect<void>) => Effect.Effect<void>
}

/** At so many subjects, those whose period has ended are forgotten. */
const subjectsMax = 1000

/**
 * Makes a limit of one line per subject and period. When it has 1,000 subjects, it forgets those whose period has ended, and how many of their lines
 * were left out.
 */
export const makeLogLimit = (periodMillis: number): LogLimit => {
  const periodNanos = BigInt(periodMillis) * 1_000_000n
  const lines = new Map<string, { readonly loggedNanos: bigint; leftOut: number }>()
  const forgetEnded = (nanos: bigint): void => {
    for (const [subject, { loggedNanos }] of lines) if (nanos - loggedNanos >= periodNanos) lines.delete(subject)
  }
  return {
    // A wall clock that is set back would silence the log.
    logLine: (subject, write) =>
      Effect.flatMap(Clock.monotonicTimeNanos, (nanos) => {
        const last = lines.get(subject)
        if (last !== undefined && nanos - last.loggedNanos < periodNanos) {
          last.leftOut++
          return Effect.void
        }
        if (last === undefined && lines.size >= subjectsMax) forgetEnded(nanos)
        lines.set(subject, { loggedNanos: nanos, leftOut: 0 })
        const leftOut = last?.leftOut ?? 0
        return write(leftOut > 0 ? { failures: leftOut + 1 } : {})
      })
  }
}
