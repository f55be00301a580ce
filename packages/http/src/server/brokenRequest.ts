/**
 * Answers what is no HTTP request, before there is a request to handle: with the body and the headers of every other refusal.
 */
import type { Server } from "node:http"
import type { Duplex } from "node:stream"
import { requestScope } from "./RequestScope.ts"

const answers: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The header fields are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request did not arrive in time."]
}

const answer = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  // A connection that is gone hears nothing.
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
  const [status, message] = answers[error.code ?? ""] ?? ["400 Bad Request", "This is not an HTTP request."]
  const { correlationId } = requestScope(undefined)
  const refused = { error: "invalid_argument", message, correlationId }
  const body = JSON.stringify(
    status.startsWith("400") ? { ...refused, details: { context: "headers", issues: [] } } : refused
  )
  const head = [
    `HTTP/1.1 ${status}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${correlationId}`,
    `x-correlation-id: ${correlationId}`,
    "connection: close"
  ]
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`)
}

export const answerBrokenRequests = (server: Server): Server => server.on("clientError", answer)
