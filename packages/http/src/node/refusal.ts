/**
 * Responses without a handler, with the body and the headers of every other refusal. Source: decision 0009.
 */
import type { IssueCode } from "@mailkeep/core"
import type { ServerResponse } from "node:http"
import { STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { clearTimeout, setTimeout } from "node:timers"
import { statusHeaders } from "../server/failureResponse.ts"
import { requestScope } from "../server/RequestScope.ts"

export interface RawRefusal {
  readonly status: number
  readonly message: string
  /** The error word of the interface; default `invalid_argument`. */
  readonly error?: string
  /** On a 400: the header field that is wrong, if there is one. */
  readonly issue?: { readonly header: string; readonly code: IssueCode }
}

/** How long a client may take to read a refusal before the connection is destroyed. */
const lingerMillis = 500

/** The header fields and the body of a refusal. */
export const refusalResponse = (
  { status, message, error = "invalid_argument", issue }: RawRefusal,
  inboundRequestId: string | undefined
) => {
  const { correlationId } = requestScope(inboundRequestId)
  const issues = issue === undefined ? [] : [{ path: [issue.header], code: issue.code, message }]
  const body = JSON.stringify({
    error,
    message: issue === undefined ? message : `headers.${issue.header} ${message}`,
    correlationId,
    ...(status === 400 ? { details: { context: "headers", issues } } : {})
  })
  const headers = {
    ...statusHeaders(status),
    "content-type": "application/json",
    "x-content-type-options": "nosniff",
    "content-length": String(Buffer.byteLength(body)),
    "x-request-id": correlationId,
    "x-correlation-id": correlationId
  }
  return { headers, body }
}

/** Refuses a request whose head could be read. */
export const refuseRequest = (response: ServerResponse, refusal: RawRefusal): void => {
  const inbound = response.req.headers["x-request-id"]
  const { headers, body } = refusalResponse(refusal, typeof inbound === "string" ? inbound : undefined)
  const closing = { ...headers, connection: "close" }
  response.writeHead(refusal.status, closing).end(response.req.method === "HEAD" ? undefined : body)
}

/** Refuses bytes that are not an HTTP request, and closes the connection after the client had time to read the reason. */
export const refuseConnection = (socket: Duplex, refusal: RawRefusal): void => {
  const { headers, body } = refusalResponse(refusal, undefined)
  const fields = Object.entries({ ...headers, connection: "close" }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${fields.join("")}\r\n${body}`)
  const timer = setTimeout(() => socket.destroy(), lingerMillis)
  socket.once("close", () => clearTimeout(timer))
}
