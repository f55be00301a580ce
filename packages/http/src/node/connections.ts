/**
 * The connections of the Node server: how many there are, and their end.
 */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import type { Connection, PendingRequest } from "./connection.ts"
import {
  acceptsRequest,
  enterRequest,
  isIdle,
  isLastResponse,
  isSilent,
  newConnection,
  refuseAfterRequests
} from "./connection.ts"
import type { ServerLimits } from "./limits.ts"

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

export const makeConnections = ({
  connectionsMax,
  connectionsPerAddressMax
}: Pick<ServerLimits, "connectionsMax" | "connectionsPerAddressMax">): Connections => {
  const connections = new Map<Socket, Connection>()
  const addresses = makeAddressCounts(connectionsPerAddressMax)
  let accepted = 0
  let closing = false
  const isClosing = () => closing

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
    connections.set(socket, newConnection(socket, isClosing))
    socket.once("close", () => {
      connections.delete(socket)
      addresses.remove(address)
    })
  }

  const endSilent = (millis: number, end: (socket: Socket) => void) => {
    const now = performance.now()
    for (const connection of connections.values()) if (isSilent(connection, millis, now)) end(connection.socket)
  }

  return {
    add,
    accepts: (request) => {
      const connection = connections.get(request.socket)
      return connection !== undefined && acceptsRequest(connection, request)
    },
    enter: (pending) => {
      const connection = connections.get(pending.request.socket)
      if (connection !== undefined) enterRequest(connection, pending)
    },
    refuseAfter: (socket, refuse) => {
      const connection = connections.get(socket)
      if (connection === undefined) refuse()
      else refuseAfterRequests(connection, refuse)
    },
    close: () => {
      closing = true
    },
    isLast: (socket) => {
      const connection = connections.get(socket)
      return connection !== undefined && isLastResponse(connection)
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
