/**
 * Answers bytes that are not an HTTP request. No request exists to handle.
 */
import type { Server } from "node:http"
import type { Socket } from "node:net"
import type { Connections } from "./connections.ts"
import type { RawRefusal } from "./refusal.ts"
import { refuseConnection } from "./refusal.ts"
import { unknownTransferCoding } from "./requestHead.ts"

export const lateRequest: RawRefusal = { status: 408, message: "The request did not arrive in time." }

const noTunnel: RawRefusal = { status: 501, message: "The method CONNECT is not supported." }

const noRequest: RawRefusal = { status: 400, message: "This is not an HTTP request." }

interface ParserError extends Error {
  readonly code?: string
  /** What the parser found wrong, in its own words. */
  readonly reason?: string
}

const refusalOf = ({ code, reason = "" }: ParserError): RawRefusal => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return { status: 431, message: "The header fields are too large." }
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return lateRequest
    case "HPE_INVALID_TRANSFER_ENCODING":
      // The parser also uses this code when a request has both fields. That is an attempt at request smuggling, not an unknown coding.
      return reason.includes("Content-Length") ? noRequest : unknownTransferCoding
    default:
      return noRequest
  }
}

export const answerMalformedHttp = (server: Server, connections: Connections): Server => {
  const refused = new WeakSet<Socket>()
  server.on("connect", (_, socket) => refuseConnection(socket, noTunnel))
  return server.on("clientError", (error: ParserError, stream) => {
    // The connections of an HTTP server over TCP are sockets.
    const socket = stream as Socket
    // The parser reports each further byte of a malformed request again.
    if (refused.has(socket)) return
    refused.add(socket)
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
    connections.refuseAfter(socket, () => refuseConnection(socket, refusalOf(error)))
  })
}
