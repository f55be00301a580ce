/**
 * Converts a request of `node:http` to a web-standard request, and writes a web-standard response.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { ReadableStream } from "node:stream/web"

export const toRequest = (incoming: IncomingMessage): Request => {
  const { method = "GET", url = "/" } = incoming
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value])
  )
  const body = method === "GET" || method === "HEAD" ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>)
  return new Request(new URL(url, "http://localhost"), { method, headers, body, duplex: "half" } as RequestInit)
}

export const writeResponse = async (response: Response, outgoing: ServerResponse): Promise<void> => {
  outgoing.writeHead(response.status, [...response.headers].flat())
  if (response.body === null) outgoing.end()
  else await pipeline(Readable.fromWeb(response.body as ReadableStream), outgoing)
}
