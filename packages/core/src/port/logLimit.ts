/**
 * Bounds how often a log line is written: the first at once, then one per period with the number of lines that were left out.
 */
import { Clock, Effect } from "effect"

/** A limit for the lines of one log. */
export interface LogLimit {
  /** Returns how many lines on this subject were left out since the last one, or `null` if this line is to be left out too. */
  readonly takeLogLine: (subject: string) => Effect.Effect<number | null>
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
    takeLogLine: (subject) =>
      Effect.map(Clock.monotonicTimeNanos, (nanos) => {
        const last = lines.get(subject)
        if (last !== undefined && nanos - last.loggedNanos < periodNanos) {
          last.leftOut++
          return null
        }
        if (last === undefined && lines.size >= subjectsMax) forgetEnded(nanos)
        lines.set(subject, { loggedNanos: nanos, leftOut: 0 })
        return last?.leftOut ?? 0
      })
  }
}
