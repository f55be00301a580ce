/**
 * Bounds how often a log line is written: the first at once, then one per period with the number of lines that were left out.
 */
import { Clock, Effect } from "effect"

/** A limit for the lines of one log. */
export interface LogLimit {
  /** Returns how many lines on this subject were left out since the last one, or `null` if this line is to be left out too. */
  readonly takeLogLine: (subject: string) => Effect.Effect<number | null>
}

/** Makes a limit of one line per subject and period. It keeps every subject, so the subjects must be a closed list. */
export const makeLogLimit = (periodMillis: number): LogLimit => {
  const lines = new Map<string, { readonly loggedNanos: bigint; leftOut: number }>()
  return {
    // A wall clock that is set back would silence the log.
    takeLogLine: (subject) =>
      Effect.map(Clock.monotonicTimeNanos, (nanos) => {
        const last = lines.get(subject)
        if (last !== undefined && nanos - last.loggedNanos < BigInt(periodMillis) * 1_000_000n) {
          last.leftOut++
          return null
        }
        lines.set(subject, { loggedNanos: nanos, leftOut: 0 })
        return last?.leftOut ?? 0
      })
  }
}
