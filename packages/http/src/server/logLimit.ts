/**
 * Bounds how often one warning is logged: the first at once, then one in each period with the number of those left out.
 */
import { Clock, Context, Effect } from "effect"

export interface LogLimit {
  /** How many of this subject were left out since the last line; `null` while another line would come too soon. */
  readonly admit: (subject: string) => Effect.Effect<number | null>
}

/** The subjects are a closed list: each is remembered. */
const makeLogLimit = (periodMillis: number): LogLimit => {
  const lines = new Map<string, { readonly at: number; leftOut: number }>()
  return {
    admit: (subject) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const last = lines.get(subject)
        // A clock that was set back must not silence the log.
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

/** Limits the warnings of requests that were refused because the store was unavailable; one for each handler. */
export const StoreWarnings = Context.Reference<LogLimit>("@mailkeep/http/server/StoreWarnings", {
  defaultValue: () => makeLogLimit(storePeriodMillis)
})

export const makeStoreWarnings = (): LogLimit => makeLogLimit(storePeriodMillis)
