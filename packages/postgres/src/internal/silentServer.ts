/**
 * Closes a connection whose server has disappeared without a word, such as a host that lost its power. The operating system alone would wait for
 * about a quarter of an hour. Source: decision 0096.
 */
import { setImmediate } from "node:timers"
import type { ProductClient } from "./driverClient.ts"

/** Options of the driver for connections that the store opens: fail when a server does not answer, and check connections that are idle. */
export const reachableOptions = {
  connectionTimeoutMillis: 5000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000
} as const

/** No statement of the store waits for a lock longer than 5 s. */
export const silentMillisDefault = 10_000

/** For a migration, one statement of which can take long. */
export const noSilenceLimit = Number.POSITIVE_INFINITY

/** The driver passes it on to each statement that waits. */
const silence = () =>
  Object.assign(new Error("The server has not answered, and has taken no bytes"), { code: "ETIMEDOUT" })

/**
 * Returns a function that every answer of the server passes. When no byte was received or could be sent for `millis` while an answer is missing,
 * the connection is closed. Its statements then fail like those of a lost connection.
 */
export const makeSilenceLimit = ({ connection }: ProductClient, millis: number) => {
  const socket = connection?.stream
  let missing = 0
  /** After a pause of the process, such as that of a virtual machine, reads what has arrived first. */
  const close = () => {
    const bytesRead = socket?.bytesRead
    setImmediate(() => {
      if (missing === 0) return
      if (socket?.bytesRead === bytesRead) return socket?.destroy?.(silence())
      socket?.setTimeout?.(0, close)
      socket?.setTimeout?.(millis, close)
    })
  }
  return <A>(answer: Promise<A>): Promise<A> => {
    if (socket?.setTimeout === undefined || millis === noSilenceLimit) return answer
    if (missing++ === 0) socket.setTimeout(millis, close)
    return answer.finally(() => {
      if (--missing === 0) socket.setTimeout?.(0, close)
    })
  }
}
