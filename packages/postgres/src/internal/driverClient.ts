/**
 * A client of `pg` beyond its statements: its socket, and whether a pooler is between it and the server. Source: decision 0093.
 */
import type { Socket } from "node:net"
import type { PoolClient } from "pg"

interface DriverSocket extends Pick<Socket, "cork" | "uncork"> {
  /** False after the connection has ended. */
  readonly writable: boolean
  readonly bytesRead: number
  readonly setTimeout: (millis: number, onTimeout: () => void) => unknown
  readonly destroy: (cause?: Error) => unknown
}

/** A message of the server: the end of a command, with its name, or that the server is ready, with the status of the transaction. */
export interface ServerMessage {
  readonly text?: string
  readonly status?: string
}

type Listen = (event: "commandComplete" | "readyForQuery", listener: (message: ServerMessage) => void) => unknown

/** The part of a client of `pg` that the store uses. Any copy and version of the driver has it. */
export interface ProductClient {
  readonly query: PoolClient["query"]
  readonly pipeline?: boolean
  /** Whether the server sends values in the binary format. */
  readonly binary?: boolean
  /** The socket, and the messages of the server. Not every driver has them. */
  readonly connection?: {
    readonly stream?: Partial<DriverSocket>
    readonly on?: Listen
    readonly removeListener?: Listen
  }
  /** `I` outside of a transaction, `T` in one and `E` in one that failed. Older drivers do not have it. */
  readonly getTransactionStatus?: () => string | null
}

/** The client has the option `binary`. The driver decodes such values as UTF-8 first, and so loses bytes of most numbers. */
export class BinaryValues extends Error {
  constructor() {
    super("The client of pg has the option `binary`, with which pg reads wrong numbers. Remove the option")
  }
}

/** What the driver received when it connected. A pooler sends a process number of its own. */
interface Connected {
  readonly processID?: number | null
}

/** Whether no pooler is between: the process that runs the statements is the one that the driver has connected to. */
export const isDirect = async (client: PoolClient): Promise<boolean> => {
  const { rows } = await client.query<{ readonly pid: unknown }>("SELECT pg_backend_pid() AS pid")
  // The product can have a parser of its own for numbers.
  return Number(rows[0]!.pid) === (client as Connected).processID
}

/**
 * Returns a function to call before each statement. The statements of one turn of the event loop then leave with one write to the socket. The driver
 * alone writes each statement by itself, and each write is a system call.
 */
export const inOneWrite = ({ connection }: ProductClient) => {
  const stream = connection?.stream
  let isCorked = false
  return (): void => {
    if (isCorked || stream?.cork === undefined) return
    isCorked = true
    stream.cork()
    process.nextTick(() => {
      isCorked = false
      stream.uncork?.()
    })
  }
}
