/**
 * Bounds how often one warning is logged: the first at once, then one per period with the number of omitted warnings.
 */
import { Clock, Context, Effect } from "effect"

export interface LogLimit {
  /** The number of warnings on this subject omitted since the last line; `null` if the period has not passed. */
  readonly takeLogLine: (subject: string) => Effect.Effect<number | null>
}

/** The map keeps every subject, because the subjects are a closed list. */
const makeLogLimit = (periodMillis: number): LogLimit => {
  const lines = new Map<string, { readonly at: number; leftOut: number }>()
  return {
    takeLogLine: (subject) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const last = lines.get(subject)
        // A clock that moves backwards must not silence the log.
        if (last !== undefined && Math.abs(now - last.at) < periodMillis) {
          last.leftOut++
          return null
        }
        lines.set(subject, { at: now, leftOut: 0 })
        return last?.leftOut ?? 0
      })
  }
}

const storePeriodMillis = 10_000

/** Limits the warnings about requests refused because the store is unavailable. Each handler has one limit. */
export const StoreWarnings = Context.Reference<LogLimit>("@mailkeep/http/server/StoreWarnings", {
  defaultValue: () => makeLogLimit(storePeriodMillis)
})

export const makeStoreWarnings = (): LogLimit => makeLogLimit(storePeriodMillis)
