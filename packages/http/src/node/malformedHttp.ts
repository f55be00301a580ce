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

/** The refusal of bytes for which the parser gives a reason that is in no table below. */
const noRequest = "This is not an HTTP request."
const headerForm = "A header field is not valid. Check its name, its characters and its line breaks."
const chunkForm = "The chunks of the body are not valid."

const targetForm =
  "The request line is not valid. Percent-encode spaces and all characters other than ASCII in the path and the query."
const lengthForm = "The request must have at most one Content-Length field, which is a whole number."

/** What is wrong, by the code of the parser. */
const messages: ReadonlyMap<string, string> = new Map([
  ["HPE_INVALID_METHOD", "This is not an HTTP request, or its method is unknown."],
  ["HPE_INVALID_URL", targetForm],
  // The parser expects the HTTP version after the first space of the target.
  ["HPE_INVALID_CONSTANT", targetForm],
  ["HPE_INVALID_VERSION", "The request line must end with HTTP/1.1 or HTTP/1.0 and with CR LF."],
  ["HPE_INVALID_CONTENT_LENGTH", lengthForm],
  ["HPE_UNEXPECTED_CONTENT_LENGTH", lengthForm],
  ["HPE_INVALID_HEADER_TOKEN", headerForm],
  ["HPE_INVALID_CHUNK_SIZE", chunkForm],
  ["HPE_INVALID_EOF_STATE", "The connection ended before the request was complete."],
  ["HPE_PAUSED_H2_UPGRADE", "HTTP/2 is not supported. Use HTTP/1.1."]
])

/** A missing CR or LF has one code wherever it is missing. Only the words of the parser name the place. */
const messageOfReason = (reason: string): string => {
  if (reason.includes("chunk")) return chunkForm
  return reason.includes("header") ? headerForm : noRequest
}

/** An attempt at request smuggling, not an unknown coding. */
const twoLengths: RawRefusal = {
  status: 400,
  message: "The request must not have both Content-Length and Transfer-Encoding."
}

const tooLarge: RawRefusal = {
  status: 431,
  message: "The path, the query and the header fields are too large together."
}

interface ParserError extends Error {
  readonly code?: string
  /** What the parser found wrong, in its own words. */
  readonly reason?: string
}

const refusalOf = ({ code = "", reason = "" }: ParserError): RawRefusal => {
  // The code is that of the second of the two fields.
  if (reason.includes("can't be present with")) return twoLengths
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return tooLarge
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return lateRequest
    case "HPE_INVALID_TRANSFER_ENCODING":
      return unknownTransferCoding
    default:
      return { status: 400, message: messages.get(code) ?? messageOfReason(reason) }
  }
}

export const answerMalformedHttp = (server: Server, connections: Connections): Server => {
  const refused = new WeakSet<Socket>()
  server.on("connect", (_, socket) =>
    connections.refuseAfter(socket as Socket, () => refuseConnection(socket, noTunnel))
  )
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
