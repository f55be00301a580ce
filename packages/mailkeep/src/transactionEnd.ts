/**
 * Notices the end of a transaction of the product. Its connection has no event for it. Source: decision 0056.
 */
import { setImmediate, setTimeout } from "node:timers"

const pauseMillisMin = 1
const pauseMillisMax = 100

/** A connection of better-sqlite3 has `inTransaction`, and a client of `pg` has `getTransactionStatus`: `I` outside of a transaction. */
const hasTransaction = (connection: object): boolean => {
  if ("inTransaction" in connection) return connection.inTransaction === true
  if (!("getTransactionStatus" in connection) || typeof connection.getTransactionStatus !== "function") return false
  return connection.getTransactionStatus() === "T" || connection.getTransactionStatus() === "E"
}

/**
 * Returns a function that watches a connection with an open transaction. Calls `onEnd` after the transaction has ended: on the next turn of the
 * event loop, or after pauses of 1 to 100 ms. The pauses do not keep the process running.
 */
export const makeEndWatch = (onEnd: () => void): ((connection: unknown) => void) => {
  const watched = new WeakSet()
  const check = (connection: object, pauseMillis: number): void => {
    if (!hasTransaction(connection)) {
      watched.delete(connection)
      onEnd()
      return
    }
    setTimeout(check, pauseMillis, connection, Math.min(pauseMillisMax, pauseMillis * 2)).unref()
  }
  return (connection) => {
    if (typeof connection !== "object" || connection === null || watched.has(connection)) return
    watched.add(connection)
    setImmediate(check, connection, pauseMillisMin)
  }
}
