/**
 * Serves a web-standard handler by `node:http` and by frameworks on it, such as Express. Source: decision 0052.
 */
import { Cause } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { bugReports } from "@mailkeep/core/binding"
import { bodyReadMessage } from "../server/usedBody.ts"
import { refuseRequest } from "./refusal.ts"
import { headRefusal } from "./requestHead.ts"
import { hasBody, toWebRequest } from "./webRequest.ts"
import { writeWebResponse } from "./webResponse.ts"

/** What a listener does besides answering. */
export interface NodeListenerOptions {
  /**
   * Gets the failure of a handler that rejected, when the framework passes no `next`. Default: writes the class and the stack of the failure to
   * the console. It may be async. When it fails itself, its failure is written to the console.
   */
  readonly onError?: ((cause: unknown) => void) | undefined
}

/** A listener of `node:http`, and a middleware of Express. `next` gets the failure of a handler that rejected. */
export type NodeListener = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  next?: (cause: unknown) => void
) => void

const printFailure = (cause: unknown): void =>
  // oxlint-disable-next-line no-console
  console.error("Mailkeep could not answer a request.", ...bugReports(Cause.fail(cause)))

const unavailable = { status: 503, error: "unavailable", message: "The service cannot take the request now." }
const bodyRead = { status: 500, error: "internal_error", message: bodyReadMessage }

/** Whether a body parser has read the body, or a part of it, before this listener. */
const isBodyRead = (incoming: IncomingMessage): boolean => hasBody(incoming) && incoming.readableDidRead

/** Aborts when the client is gone before the response is complete. */
const signalOf = (outgoing: ServerResponse): AbortSignal => {
  const controller = new AbortController()
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) controller.abort()
  })
  return controller.signal
}

/** The request, or `undefined` for a head that a web-standard request cannot have. */
const requestOf = (incoming: IncomingMessage, outgoing: ServerResponse): Request | undefined => {
  try {
    return toWebRequest(incoming, signalOf(outgoing))
  } catch (cause) {
    if (cause instanceof TypeError) return undefined
    throw cause
  }
}

/**
 * Serves a web-standard handler by Node: `createServer(nodeListener(handler))`, or `app.use("/mail", nodeListener(handler))` with Express.
 *
 * The path of the request is the whole path, also below a mount path of the framework, so `basePath` of the handler names the mount path.
 * Bodies are streamed in both directions with back-pressure, and a client that disconnects aborts its request. A request whose body was read
 * before is refused with 500: mount the listener before a body parser such as `express.json()`. The limits of connections and times are those of
 * the product's server.
 *
 * @example
 * ```ts
 * import { nodeListener } from "@mailkeep/http/node"
 * import { once } from "node:events"
 * import { createServer } from "node:http"
 * import type { AddressInfo } from "node:net"
 *
 * const handler = async (request: Request) => new Response(new URL(request.url).pathname)
 * const server = createServer(nodeListener(handler)).listen(0, "127.0.0.1")
 * await once(server, "listening")
 * const { port } = server.address() as AddressInfo
 * console.log(await (await fetch(`http://127.0.0.1:${port}/mail`)).text()) // /mail
 * server.close()
 * ```
 */
export const nodeListener = (
  handler: (request: Request) => Promise<Response>,
  { onError = printFailure }: NodeListenerOptions = {}
): NodeListener => {
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const refusal = headRefusal(incoming)
    if (refusal !== undefined) return refuseRequest(outgoing, refusal)
    if (isBodyRead(incoming)) return refuseRequest(outgoing, bodyRead)
    const request = requestOf(incoming, outgoing)
    if (request === undefined)
      return refuseRequest(outgoing, { status: 400, message: "The method or a header field is not supported." })
    await writeWebResponse(await handler(request), outgoing)
  }

  const listen = async (...[incoming, outgoing, next]: Parameters<NodeListener>): Promise<void> => {
    // A write for a client that is gone must not end the process.
    outgoing.on("error", () => {})
    try {
      await answer(incoming, outgoing)
    } catch (cause) {
      // The client is gone, or sees that its response ends early.
      if (outgoing.headersSent || outgoing.destroyed) outgoing.destroy()
      else if (next !== undefined) await next(cause)
      else {
        refuseRequest(outgoing, unavailable)
        await onError(cause)
      }
    }
  }
  // A function of the product or of the framework may be async, or throw. Its failure must not end the process.
  return (...request) => void listen(...request).catch(printFailure)
}
