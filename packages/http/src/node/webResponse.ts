/**
 * Writes a web-standard response to a Node response, only as fast as the client reads it.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { clearTimeout, setTimeout } from "node:timers"
import { setImmediate as nextRound } from "node:timers/promises"

/** How long the client may take to read a response whose request has not arrived completely, before the connection is closed. */
const lingerMillis = 500

/** Fields that may occur several times, so that a value does not replace the value of the framework. */
const appended: ReadonlySet<string> = new Set(["set-cookie", "vary"])

const writeHead = (response: Response, outgoing: ServerResponse): void => {
  for (const [name, value] of response.headers)
    if (appended.has(name)) outgoing.appendHeader(name, value)
    else outgoing.setHeader(name, value)
  // The rest of the body may still arrive, so the connection cannot carry another request.
  if (!outgoing.req.complete) outgoing.setHeader("connection", "close")
  outgoing.writeHead(response.status)
}

/** Resolves when more can be written, or when the connection is closed. */
const writable = (outgoing: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      outgoing.off("drain", done)
      outgoing.off("close", done)
      resolve()
    }
    outgoing.once("drain", done)
    outgoing.once("close", done)
  })

const writeBody = async (body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> => {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || outgoing.destroyed) return
      if (!outgoing.write(value)) await writable(outgoing)
    }
  } finally {
    // Also ends the work for a response that nobody reads any more.
    await reader.cancel().catch(() => {})
  }
}

/**
 * Waits a short time for the rest of the request, which is dropped. Closing a connection with unread bytes would reset it, and the client could lose the
 * response.
 */
const arrivalOfRest = (incoming: IncomingMessage): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, lingerMillis)
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    incoming.once("end", done)
    incoming.once("close", done)
  })

/** Resolves when the response is handed to the connection. */
export const writeWebResponse = async (response: Response, outgoing: ServerResponse): Promise<void> => {
  // A quick handler answers before the parser has seen the end of a body that has already arrived.
  if (!outgoing.req.complete) await nextRound()
  // A timeout of the product may have answered already.
  if (outgoing.headersSent || outgoing.destroyed) return void (await response.body?.cancel().catch(() => {}))
  writeHead(response, outgoing)
  if (outgoing.req.method === "HEAD") await response.body?.cancel().catch(() => {})
  else if (response.body !== null) await writeBody(response.body, outgoing)
  if (!outgoing.req.complete) outgoing.flushHeaders()
  // The handler may have stopped reading in the middle. The next request of the connection waits behind the rest.
  outgoing.req.resume()
  if (!outgoing.req.complete && !outgoing.destroyed) await arrivalOfRest(outgoing.req)
  outgoing.end()
}
