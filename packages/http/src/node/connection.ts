/**
 * One connection of the Node server. It handles one request at a time: the next request begins when the previous response is written. Source:
 * decision 0032.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** Requests that wait on one connection. At this number the connection takes no further request, and closes after the last response. */
const waitingMax = 64
/**
 * Requests that a connection may send behind those. A client that sends more is disconnected at once. 64 KiB can have 1,500 requests, and Node keeps
 * two objects for each as long as the connection.
 */
const excessMax = 256

export interface PendingRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly run: () => void
}

export interface Connection {
  readonly socket: Socket
  /** Whether the server closes each connection after its last response. */
  readonly isServerClosing: () => boolean
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

export const newConnection = (socket: Socket, isServerClosing: () => boolean): Connection => ({
  socket,
  isServerClosing,
  current: undefined,
  waiting: [],
  refuseRest: undefined,
  overfull: false,
  excess: 0,
  bytesWhenIdle: undefined,
  seen: undefined
})

/** Whether the connection closes after the requests that it has. */
const isEnding = ({ overfull, isServerClosing }: Connection): boolean => isServerClosing() || overfull

/** Whether the response to the current request is the last one. */
export const isLastResponse = (connection: Connection): boolean =>
  connection.waiting.length === 0 && isEnding(connection)

const start = (connection: Connection, pending: PendingRequest): void => {
  connection.current = pending
  if (isLastResponse(connection)) pending.response.setHeader("connection", "close")
  pending.response.once("close", () => finish(connection))
  pending.run()
}

const finish = (connection: Connection): void => {
  const { socket, waiting } = connection
  connection.current = undefined
  // The last response announced the end of the connection.
  if (!socket.writable) return
  const next = waiting.shift()
  if (next === undefined) {
    connection.bytesWhenIdle = socket.bytesRead
    if (connection.refuseRest !== undefined) connection.refuseRest()
    else if (isEnding(connection)) socket.destroySoon()
    return
  }
  // The timeout of the previous response does not apply to this one.
  socket.setTimeout(0)
  if (waiting.length === 0) socket.resume()
  start(connection, next)
}

/** Whether the connection takes a further request. Closes a connection that has sent far too many. */
export const acceptsRequest = (connection: Connection, request: IncomingMessage): boolean => {
  if (!connection.overfull) return true
  // Destroys the connection too. Node would otherwise make an error with a stack for each of the requests.
  if (++connection.excess > excessMax) request.destroy()
  return false
}

/** Runs the request after the requests before it are answered. */
export const enterRequest = (connection: Connection, pending: PendingRequest): void => {
  if (connection.current === undefined) return start(connection, pending)
  // The current request is complete, so pausing the socket leaves none of its bytes unread.
  connection.socket.pause()
  connection.waiting.push(pending)
  connection.overfull = connection.waiting.length >= waitingMax
}

/** Refuses bytes that are not an HTTP request, after the responses to the requests before them. */
export const refuseAfterRequests = (connection: Connection, refuse: () => void): void => {
  const { socket, waiting, current } = connection
  if (current === undefined) return refuse()
  const last = waiting.at(-1) ?? current
  if (last.request.complete) connection.refuseRest ??= refuse
  else if (last !== current) {
    waiting.pop()
    connection.refuseRest ??= refuse
  } else if (current.response.writableEnded) socket.destroySoon()
  else if (current.response.headersSent) socket.destroy()
  else refuse()
}

/** Whether the connection has been answered and carries no request. */
export const isIdle = ({ socket, current, bytesWhenIdle }: Connection): boolean =>
  current === undefined && bytesWhenIdle !== undefined && socket.bytesRead === bytesWhenIdle

/** Records how many bytes a connection with an incomplete request has sent. Returns whether it has sent none for `millis`. */
export const isSilent = (connection: Connection, millis: number, now: number): boolean => {
  const { socket, current, seen } = connection
  if (current !== undefined && current.request.complete) connection.seen = undefined
  else if (seen?.bytes !== socket.bytesRead) connection.seen = { bytes: socket.bytesRead, since: now }
  else return now - seen.since >= millis
  return false
}
