/**
 * Serves a web-standard handler by `node:http` for one test, and measures its streams.
 */
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setImmediate as nextRound } from "node:timers/promises"
import { onTestFinished } from "vitest"
import type { NodeListenerOptions } from "../src/node.ts"
import { nodeListener } from "../src/node.ts"

export type Handler = (request: Request) => Promise<Response>
type Before = (incoming: IncomingMessage, outgoing: ServerResponse) => void | Promise<void>

export const listening = async (listener: (incoming: IncomingMessage, outgoing: ServerResponse) => void) => {
  const server = createServer(listener).listen(0, "127.0.0.1")
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Serves the handler. `before` replaces the middleware of a framework. */
export const serve = (handler: Handler, before: Before = () => {}, options?: NodeListenerOptions) => {
  const listener = nodeListener(handler, options)
  return listening(async (incoming, outgoing) => {
    await before(incoming, outgoing)
    listener(incoming, outgoing)
  })
}

/** A response whose length the raw client can see. */
export const answerOf = (content: string) =>
  new Response(content, { headers: { "content-length": String(Buffer.byteLength(content)) } })

/** Waits for a condition that other work of the event loop makes true. */
export const until = async (condition: () => boolean) => {
  while (!condition()) await nextRound()
}

export const chunk = new Uint8Array(64 * 1024)
/** A body that ends only when the connection does. Counts what has been taken from it. */
export const endless = () => {
  const counts = { bytes: 0, canceled: false }
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      controller.enqueue(chunk)
      counts.bytes += chunk.length
    },
    cancel: () => void (counts.canceled = true)
  })
  return { counts, body }
}

export const post = (address: string, body: string | ReadableStream<Uint8Array>, init: RequestInit = {}) =>
  fetch(address, { method: "POST", body, ...init, duplex: "half" } as RequestInit)
