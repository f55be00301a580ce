/**
 * What the interface does behind every framework.
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict"
import { once } from "node:events"
import type { IncomingMessage } from "node:http"
import { request } from "node:http"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { pipeline } from "node:stream/promises"
import type { ReadableStream as NodeReadableStream } from "node:stream/web"
import { after, before, describe, it } from "node:test"

/** A product that runs. */
export interface Product {
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
  readonly apiKey: string
  readonly close: () => Promise<void>
  /**
   * Whether the server of the framework closes a connection right after its response, even while the client still uploads. The client then may
   * not see the response.
   */
  readonly closesEarly?: true
}

/** Uploads a stream. Unlike `fetch`, takes a response also when the server then closes the connection before the end of the upload. */
const upload = async (url: string, { method, headers, body }: RequestInit): Promise<Response> => {
  const outgoing = request(url, { method, headers: headers as Record<string, string> })
  pipeline(Readable.fromWeb(body as NodeReadableStream), outgoing).catch(() => {})
  // Fails when the connection is closed first.
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage]
  const content = await text(incoming)
  outgoing.destroy()
  return new Response(content, { status: incoming.statusCode! })
}

/** Requests to a server at an address. */
export const fetchAt =
  (address: string): Product["fetch"] =>
  (path, init = {}) =>
    init.body instanceof ReadableStream ? upload(`${address}${path}`, init) : fetch(`${address}${path}`, init)

const mebibyte = 1024 * 1024

/** A body of 1 GiB that is made while it is read. */
const largeBody = () => {
  const counts = { bytes: 0 }
  const chunk = new Uint8Array(mebibyte).fill(0x20)
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (counts.bytes >= 1024 * mebibyte) return controller.close()
      counts.bytes += chunk.length
      controller.enqueue(chunk)
    }
  })
  return { counts, body }
}

/** Registers the tests of one framework. */
export const testProduct = (name: string, open: () => Promise<Product>): void => {
  describe(name, () => {
    let product: Product
    before(async () => {
      product = await open()
    })
    after(() => product.close())

    const send = (body: string | ReadableStream, idempotencyKey: string) =>
      product.fetch("/mail/api/v1/emails/send", {
        method: "POST",
        headers: {
          authorization: `Bearer ${product.apiKey}`,
          "content-type": "application/json",
          "idempotency-key": idempotencyKey
        },
        body,
        duplex: "half"
      } as RequestInit)
    const message = { from: "hi@shop.example", to: "ada@example.org", subject: "By HTTP", text: "Hi" }

    it("sends a message with an API key, and lists it in the log", async () => {
      const sent = await send(JSON.stringify(message), "one")
      strictEqual(sent.status, 202)
      const { data } = (await sent.json()) as { readonly data: { readonly deliveryIds: ReadonlyArray<string> } }
      const headers = { authorization: `Bearer ${product.apiKey}` }
      const log = await product.fetch("/mail/api/v1/emails/logs?limit=10", { headers })
      strictEqual(log.status, 200)
      const { items } = (
        (await log.json()) as { readonly data: { readonly items: ReadonlyArray<{ readonly id: string }> } }
      ).data
      deepStrictEqual(
        items.map(({ id }) => id),
        data.deliveryIds
      )
    })

    it("refuses a request without an API key", async () => {
      strictEqual((await product.fetch("/mail/api/v1/emails/logs")).status, 401)
    })

    it("answers 404 for an unknown path below /mail and for the interface outside of it", async () => {
      for (const path of ["/mail/nowhere", "/api/v1/emails/logs", "/mailbox"])
        deepStrictEqual([path, (await product.fetch(path)).status], [path, 404])
    })

    it("accepts a file that is larger than the usual limit of a body parser", async () => {
      const attachments = [
        { filename: "a.txt", content: Buffer.alloc(3 * mebibyte).toString("base64"), content_type: "text/plain" }
      ]
      strictEqual((await send(JSON.stringify({ ...message, attachments }), "file")).status, 202)
    })

    it("refuses a streamed body over the limit without reading all of it", async () => {
      const { counts, body } = largeBody()
      const closed = (cause: unknown) => {
        if (product.closesEarly === undefined) throw cause
        return "closed"
      }
      const outcome = await send(body, "large").then(({ status }) => status, closed)
      ok(outcome === 413 || outcome === "closed")
      ok(counts.bytes < 128 * mebibyte, `${counts.bytes} bytes were sent`)
    })
  })
}
