/**
 * The connections of the Node server. A connection handles one request at a time: the next request begins when the previous response is
 * written. Source: decision 0032.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { ServerLimits } from "./limits.ts"

/** Requests that wait on one connection. At this number the connection takes no further request, and closes after the last response. */
const waitingMax = 64
/**
 * Requests that a connection may send behind those. A client that sends more is disconnected at once. 64 KiB can have 1,500 requests, and Node keeps
 * two objects for each as long as the connection.
 */
const excessMax = 256

interface PendingRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly run: () => void
}

interface Connection {
  readonly socket: Socket
  current: PendingRequest | undefined
  readonly waiting: Array<PendingRequest>
  /** Refuses the bytes after the last request when they are not an HTTP request. */
  refuseRest: (() => void) | undefined
  overfull: boolean
  /** Requests that arrived when the connection was overfull. They are not answered. */
  excess: number
  /**
   * Bytes read when the last response was written; `undefined` before the first response. Any further byte belongs to the head of a
   * request.
   */
  bytesWhenIdle: number | undefined
  /** The number of bytes that a shutdown saw, and the time since which it has not grown. */
  seen: { readonly bytes: number; readonly since: number } | undefined
}

export interface Connections {
  readonly add: (socket: Socket) => void
  /** Whether the connection takes a further request. Closes a connection that has sent far too many. */
  readonly accepts: (request: IncomingMessage) => boolean
  /** Runs the request after the requests before it are answered. */
  readonly enter: (pending: PendingRequest) => void
  /** Refuses bytes that are not an HTTP request, after the responses to the requests before them. */
  readonly refuseAfter: (socket: Socket, refuse: () => void) => void
  /** Closes each connection after its last response from now on. */
  readonly close: () => void
  /** Whether this response is the last of its connection. */
  readonly isLast: (socket: Socket) => boolean
  /** Closes the connections that have been answered and carry no request. */
  readonly closeIdle: () => void
  /** Calls `end` for each connection whose request is incomplete and that has sent nothing for `millis`. */
  readonly endSilent: (millis: number, end: (socket: Socket) => void) => void
  readonly destroyAll: () => void
  readonly size: () => number
  /** Connections accepted since the start. */
  readonly accepted: () => number
}

/** Counts the connections of each address. */
const makeAddressCounts = (perAddressMax: number) => {
  const counts = new Map<string, number>()
  return {
    /** Returns `false`, and counts nothing, if the address has as many connections as it may have. */
    add: (address: string): boolean => {
      const count = (counts.get(address) ?? 0) + 1
      if (count > perAddressMax) return false
      counts.set(address, count)
      return true
    },
    remove: (address: string): void => {
      const left = counts.get(address)! - 1
      if (left === 0) counts.delete(address)
      else counts.set(address, left)
    }
  }
}

const newConnection = (socket: Socket): Connection => ({
  socket,
  current: undefined,
  waiting: [],
  refuseRest: undefined,
  overfull: false,
  excess: 0,
  bytesWhenIdle: undefined,
  seen: undefined
})

const isIdle = ({ socket, current, bytesWhenIdle }: Connection): boolean =>
  current === undefined && bytesWhenIdle !== undefined && socket.bytesRead === bytesWhenIdle

/** Refuses the bytes after the requests of the connection, of which the `current` one is under way. */
const refuseRest = (connection: Connection, current: PendingRequest, refuse: () => void): void => {
  const { socket, waiting } = connection
  const last = waiting.at(-1) ?? current
  if (last.request.complete) connection.refuseRest ??= refuse
  else if (last !== current) {
    waiting.pop()
    connection.refuseRest ??= refuse
  } else if (current.response.writableEnded) socket.destroySoon()
  else if (current.response.headersSent) socket.destroy()
  else refuse()
}

/** Notes how many bytes a connection with an incomplete request has sent. Returns whether it has sent none for `millis`. */
const isSilent = (connection: Connection, millis: number, now: number): boolean => {
  const { socket, current, seen } = connection
  if (current !== undefined && current.request.complete) connection.seen = undefined
  else if (seen?.bytes !== socket.bytesRead) connection.seen = { bytes: socket.bytesRead, since: now }
  else return now - seen.since >= millis
  return false
}

export const makeConnections = ({
  connectionsMax,
  connectionsPerAddressMax
}: Pick<ServerLimits, "connectionsMax" | "connectionsPerAddressMax">): Connections => {
  const connections = new Map<Socket, Connection>()
  const addresses = makeAddressCounts(connectionsPerAddressMax)
  let accepted = 0
  let closing = false

  const closeIdle = () => {
    for (const connection of connections.values()) if (isIdle(connection)) connection.socket.destroySoon()
  }

  const add = (socket: Socket) => {
    accepted++
    const address = socket.remoteAddress ?? ""
    if (connections.size >= connectionsMax) {
      closeIdle()
      return void socket.destroy()
    }
    if (!addresses.add(address)) return void socket.destroy()
    connections.set(socket, newConnection(socket))
    socket.once("close", () => {
      connections.delete(socket)
      addresses.remove(address)
    })
  }

  const lastOf = ({ waiting, overfull }: Connection) => waiting.length === 0 && (closing || overfull)

  const start = (connection: Connection, pending: PendingRequest) => {
    connection.current = pending
    if (lastOf(connection)) pending.response.setHeader("connection", "close")
    pending.response.once("close", () => finish(connection))
    pending.run()
  }

  const finish = (connection: Connection) => {
    const { socket, waiting } = connection
    connection.current = undefined
    // The last response announced the end of the connection.
    if (!socket.writable) return
    const next = waiting.shift()
    if (next === undefined) {
      connection.bytesWhenIdle = socket.bytesRead
      if (connection.refuseRest !== undefined) connection.refuseRest()
      else if (closing || connection.overfull) socket.destroySoon()
      return
    }
    // The timeout of the previous response does not apply to this one.
    socket.setTimeout(0)
    if (waiting.length === 0) socket.resume()
    start(connection, next)
  }

  const accepts = (request: IncomingMessage): boolean => {
    const connection = connections.get(request.socket)
    if (connection === undefined) return false
    if (!connection.overfull) return true
    // Destroys the connection too. Node would otherwise make an error with a stack for each of the requests.
    if (++connection.excess > excessMax) request.destroy()
    return false
  }

  const enter = (pending: PendingRequest) => {
    const connection = connections.get(pending.request.socket)
    if (connection === undefined) return
    if (connection.current === undefined) return start(connection, pending)
    // The current request is complete, so pausing the socket leaves none of its bytes unread.
    connection.socket.pause()
    connection.waiting.push(pending)
    connection.overfull = connection.waiting.length >= waitingMax
  }

  const refuseAfter = (socket: Socket, refuse: () => void) => {
    const connection = connections.get(socket)
    if (connection?.current === undefined) return refuse()
    refuseRest(connection, connection.current, refuse)
  }

  const endSilent = (millis: number, end: (socket: Socket) => void) => {
    const now = performance.now()
    for (const connection of connections.values()) if (isSilent(connection, millis, now)) end(connection.socket)
  }

  return {
    add,
    accepts,
    enter,
    refuseAfter,
    close: () => {
      closing = true
    },
    isLast: (socket) => {
      const connection = connections.get(socket)
      return connection !== undefined && lastOf(connection)
    },
    closeIdle,
    endSilent,
    destroyAll: () => {
      for (const socket of connections.keys()) socket.destroy()
    },
    size: () => connections.size,
    accepted: () => accepted
  }
}
