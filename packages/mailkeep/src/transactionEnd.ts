/**
 * Notices the end of a transaction of the product. A connection of better-sqlite3 has no event for it, and a client of `pg` has messages of the server.
 * Source: decision 0056.
 */
import { setImmediate, setTimeout } from "node:timers"

const pauseMillisMin = 1
const pauseMillisMax = 100

/** A message of the server: the end of a command, with its name, or that the server is ready, with the status of the transaction. */
interface ServerMessage {
  readonly text?: string
  readonly status?: string
}

type Listen = (event: string, listener: (message: ServerMessage) => void) => unknown

/** The part of a client of `pg` that shows its socket and the messages of the server. Another driver may have none. */
interface ProductClient {
  readonly connection?: {
    readonly stream?: { readonly writable?: boolean }
    readonly on?: Listen
    readonly removeListener?: Listen
  }
  /** `I` outside of a transaction. Older versions do not have it. */
  readonly getTransactionStatus?: () => string | null
}

/**
 * Whether the connection can still have an open transaction. When the socket of a client has ended, the server ends the transaction, and `pg` does not
 * update the status. Of an older `pg`, only a message of the server says the end.
 */
const canBeOpen = (connection: object): boolean => {
  if ("inTransaction" in connection) return connection.inTransaction === true
  const client = connection as ProductClient
  if (client.connection?.stream?.writable === false) return false
  if (typeof client.getTransactionStatus !== "function") return typeof client.connection?.on === "function"
  return ["T", "E"].includes(client.getTransactionStatus() ?? "I")
}

/**
 * Calls `onEnd` for each message of the server that says that a transaction has ended. A transaction after `COMMIT AND CHAIN` is open at once, so the end
 * of a command counts too. Returns a function that ends the calls.
 */
const onEndMessage = ({ connection }: ProductClient, onEnd: () => void): (() => void) => {
  const onMessage = ({ status, text }: ServerMessage) => {
    if (status === "I" || text === "COMMIT") onEnd()
  }
  connection?.on?.("readyForQuery", onMessage)
  connection?.on?.("commandComplete", onMessage)
  return () => {
    connection?.removeListener?.("readyForQuery", onMessage)
    connection?.removeListener?.("commandComplete", onMessage)
  }
}

/**
 * Returns a function that watches a connection with an open transaction. Calls `onEnd` after the transaction or the connection has ended: on the
 * next turn of the event loop, or after pauses of 1 to 100 ms. The pauses do not keep the process running. Nothing is watched after `signal` is aborted.
 */
export const makeEndWatch = (onEnd: () => void, signal: AbortSignal): ((connection: unknown) => void) => {
  const watched = new WeakSet()
  const watch = (connection: object): void => {
    let isOver = false
    let hasEnded = false
    const check = (pauseMillis: number): void => {
      if (isOver) return
      isOver = signal.aborted || hasEnded || !canBeOpen(connection)
      if (!isOver) {
        setTimeout(check, pauseMillis, Math.min(pauseMillisMax, pauseMillis * 2)).unref()
        return
      }
      stop()
      watched.delete(connection)
      if (!signal.aborted) onEnd()
    }
    const stop = onEndMessage(connection, () => {
      hasEnded = true
      // Later, so that the driver has read the message.
      setImmediate(check, pauseMillisMax)
    })
    setImmediate(check, pauseMillisMin)
  }
  return (connection) => {
    if (typeof connection !== "object" || connection === null || watched.has(connection)) return
    watched.add(connection)
    watch(connection)
  }
}
