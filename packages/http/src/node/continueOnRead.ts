/**
 * Asks for the body of a request when a handler first reads it, so that the client of a refused request need not send it. Source: RFC 9110 (10.1.1).
 */
import type { IncomingMessage, ServerResponse } from "node:http"

/** Requests whose client waits for `100 Continue`. It may or may not send the body. */
const withheld = new WeakSet<IncomingMessage>()

/** Whether the client waits for `100 Continue` before it sends the body of this request. */
export const isBodyWithheld = (request: IncomingMessage): boolean => withheld.has(request)

/** Sends `100 Continue` when the request is first read. */
export const continueOnRead = (request: IncomingMessage, response: ServerResponse): void => {
  withheld.add(request)
  const onListener = (event: string) => {
    if (event !== "readable" && event !== "data") return
    request.off("newListener", onListener)
    if (response.headersSent) return
    withheld.delete(request)
    response.writeContinue()
  }
  request.on("newListener", onListener)
}
