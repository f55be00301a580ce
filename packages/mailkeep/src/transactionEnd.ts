/**
 * Notices the end of a transaction of the product. Its connection has no event for it. Source: decision 0056.
 */
import { setImmediate, setTimeout } from "node:timers"

const pauseMillisMin = 1
const pauseMillisMax = 100

/** The part of a client of `pg` that shows its socket. Another driver may have none. */
interface SocketOwner {
  readonly connection?: { readonly stream?: { readonly writable?: boolean } }
}

/** Whether the socket of a client has ended. The server then ends the transaction, and `pg` does not update the status. */
const hasLostSocket = (client: object): boolean => (client as SocketOwner).connection?.stream?.writable === false

/** A connection of better-sqlite3 has `inTransaction`, and a client of `pg` has `getTransactionStatus`: `I` outside of a transaction. */
const hasTransaction = (connection: object): boolean => {
  if ("inTransaction" in connection) return connection.inTransaction === true
  if (!("getTransactionStatus" in connection) || typeof connection.getTransactionStatus !== "function") return false
  if (hasLostSocket(connection)) return false
  return connection.getTransactionStatus() === "T" || connection.getTransactionStatus() === "E"
}

/**
 * Returns a function that watches a connection with an open transaction. Calls `onEnd` after the transaction or the connection has ended: on the
 * next turn of the event loop, or after pauses of 1 to 100 ms. The pauses do not keep the process running. Nothing is watched after `signal` is aborted.
 */
export const makeEndWatch = (onEnd: () => void, signal: AbortSignal): ((connection: unknown) => void) => {
  const watched = new WeakSet()
  const check = (connection: object, pauseMillis: number): void => {
    if (signal.aborted) return
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
