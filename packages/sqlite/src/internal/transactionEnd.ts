/**
 * Notices the end of a transaction of the product. A connection of better-sqlite3 has no event for it. Source: decision 0056.
 */
import { clearImmediate, clearTimeout, setImmediate, setTimeout } from "node:timers"
import type { Database } from "better-sqlite3"
import { Effect } from "effect"

const pauseMillisMin = 1
const pauseMillisMax = 100

/**
 * Waits until the open transaction of the connection has ended. Looks on the next turn of the event loop, and then after pauses of 1 to 100 ms, which do
 * not keep the process running.
 */
export const untilTransactionEnd = (connection: Pick<Database, "inTransaction">): Effect.Effect<void> =>
  Effect.callback((resume) => {
    let timer: NodeJS.Timeout | undefined
    const look = (pauseMillis: number): void => {
      if (connection.inTransaction)
        timer = setTimeout(look, pauseMillis, Math.min(pauseMillisMax, pauseMillis * 2)).unref()
      else resume(Effect.void)
    }
    const firstLook = setImmediate(look, pauseMillisMin)
    return Effect.sync(() => {
      clearImmediate(firstLook)
      clearTimeout(timer)
    })
  })
