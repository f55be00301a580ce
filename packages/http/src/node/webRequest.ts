/**
 * Makes a web-standard request of a request to Node. Its body flows only as fast as it is read.
 */
import type { IncomingMessage } from "node:http"
import type { TLSSocket } from "node:tls"
import { rememberClientAddress } from "../mailbox/clientAddress.ts"

const originals = new WeakMap<Request, IncomingMessage>()

/**
 * The Node request of a request that `nodeListener` has made, or `undefined` for another request. A framework keeps its own data there, such as
 * the session of the user. The address of the client is `socket.remoteAddress`; behind a proxy that you trust, use what your framework reads
 * from the header fields of the proxy, such as `ip` of Express.
 *
 * @example
 * ```ts
 * import { incomingMessageOf } from "@mailkeep/http/node"
 *
 * export const clientAddress = (request: Request) => incomingMessageOf(request)?.socket.remoteAddress
 * ```
 */
export const incomingMessageOf = (request: Request): IncomingMessage | undefined => originals.get(request)

/** A host with an optional port. Another text could change the path or the user of the URL. */
const hostForm = /^(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?$/

/** The host is only informative: no route depends on it. A missing or malformed host becomes `localhost`. */
const originOf = ({ headers, socket }: IncomingMessage): string => {
  const host = headers.host ?? ""
  const origin = `${(socket as TLSSocket).encrypted ? "https" : "http"}://${hostForm.test(host) ? host : "localhost"}`
  return URL.canParse(origin) ? origin : "http://localhost"
}

/** The target as the client has sent it. Express and Connect remove the mount path from `url` and keep `originalUrl`. */
const targetOf = (incoming: IncomingMessage & { readonly originalUrl?: unknown }): string => {
  const target = typeof incoming.originalUrl === "string" ? incoming.originalUrl : (incoming.url ?? "/")
  if (target.startsWith("/")) return target
  // A client of a proxy sends the whole URL. Its path is the target.
  if (!URL.canParse(target)) return "/"
  const { pathname, search } = new URL(target)
  return `${pathname}${search}`
}

const headersOf = ({ rawHeaders }: IncomingMessage): Headers => {
  const headers = new Headers()
  const cookies: Array<string> = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name, value] = [rawHeaders[at]!, rawHeaders[at + 1]!]
    if (name.toLowerCase() === "cookie") cookies.push(value)
    else headers.append(name, value)
  }
  // Several fields with cookies are one list, which is separated by semicolons and not by commas. Source: RFC 6265 §5.4.
  if (cookies.length > 0) headers.set("cookie", cookies.join("; "))
  return headers
}

/**
 * The body, which is read from the connection only when the handler asks for more. Nothing listens before that, so that the rest of a request that
 * the handler does not read can be dropped.
 */
const bodyOf = (incoming: IncomingMessage): ReadableStream<Uint8Array> => {
  let hasBegun = false
  let ended = false
  const begin = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    hasBegun = true
    const finish = (end: () => void) => {
      if (ended) return
      ended = true
      end()
    }
    if (incoming.readableDidRead || incoming.destroyed)
      return finish(() => controller.error(new Error("The body was dropped, or the connection was closed.")))
    incoming.on("data", (chunk: Uint8Array) => {
      if (ended) return
      controller.enqueue(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength))
      incoming.pause()
    })
    incoming.once("end", () => finish(() => controller.close()))
    incoming.on("error", (cause) => finish(() => controller.error(cause)))
    incoming.once("close", () => finish(() => controller.error(new Error("The connection was closed."))))
  }
  return new ReadableStream<Uint8Array>(
    {
      start: () => void incoming.pause(),
      pull: (controller) => {
        if (!hasBegun) begin(controller)
        incoming.resume()
      },
      cancel: () => {
        ended = true
        incoming.pause()
      }
    },
    // Nothing is read before the handler asks for it, so that a refused request costs no memory for its body.
    { highWaterMark: 0 }
  )
}

/** Whether the request announces a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** Throws a `TypeError` for a method or a header field that a web-standard request cannot have. */
export const toWebRequest = (incoming: IncomingMessage, signal: AbortSignal): Request => {
  const { method = "GET" } = incoming
  const body = method === "GET" || method === "HEAD" || !hasBody(incoming) ? null : bodyOf(incoming)
  const init: RequestInit & { readonly duplex: "half" } = {
    method,
    headers: headersOf(incoming),
    body,
    duplex: "half",
    signal
  }
  const request = new Request(`${originOf(incoming)}${targetOf(incoming)}`, init)
  originals.set(request, incoming)
  const { remoteAddress } = incoming.socket
  if (remoteAddress !== undefined) rememberClientAddress(request, remoteAddress)
  return request
}
