/**
 * Notices the end of a transaction of the product, by the messages of the server to its client. Source: decision 0079.
 */
import { Duration, Effect, Latch } from "effect"
import type { ProductClient, ServerMessage } from "./driverClient.ts"

const pauseMillisMin = 1
const pauseMillisMax = 100

/**
 * Whether the transaction of the client can still be open. After its connection has ended, the driver keeps the last state, but the server has undone the
 * transaction. An older driver does not know the state, so that only a message of the server says the end.
 */
const canBeOpen = (client: ProductClient): boolean => {
  const { connection } = client
  if (connection?.stream?.writable === false) return false
  if (client.getTransactionStatus === undefined) return connection?.on !== undefined
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

/** The number of transactions that have ended. */
interface EndedTransactions {
  count: number
}

/** One listener for each connection of the driver, however many stores and calls use it. */
const endedOfConnections = new WeakMap<object, EndedTransactions>()

/** Counts the ended transactions of the client from the first call on. A driver that does not show its messages counts none. */
const endedTransactionsOf = (client: ProductClient): EndedTransactions => {
  const { connection } = client
  const existing = connection === undefined ? undefined : endedOfConnections.get(connection)
  if (existing !== undefined) return existing
  const ended = { count: 0 }
  if (connection !== undefined) endedOfConnections.set(connection, ended)
  onEndMessage(client, () => void ended.count++)
  return ended
}

/** Returns a function that says whether the transaction that is open now has ended. */
export const watchTransaction = (client: ProductClient): (() => boolean) => {
  const ended = endedTransactionsOf(client)
  const before = ended.count
  return () => ended.count !== before
}

/**
 * Waits until the open transaction of the client has ended. Listens from its start, so that no end is missed. A connection that is lost has no message
 * for the end, so the state of the client is looked at too, after pauses of 1 to 100 ms.
 */
export const untilTransactionEnd = (client: ProductClient): Effect.Effect<void> =>
  Effect.suspend(() => {
    const ended = Latch.makeUnsafe(false)
    const stop = onEndMessage(client, () => void ended.openUnsafe())
    const polled = Effect.gen(function* () {
      for (let millis = pauseMillisMin; canBeOpen(client); millis = Math.min(pauseMillisMax, millis * 2))
        yield* Effect.sleep(Duration.millis(millis))
    })
    return Effect.ensuring(Effect.race(ended.await, polled), Effect.sync(stop))
  })
