/**
 * The bodies of requests and responses behind `node:http`: back-pressure, and connections that end early.
 */
import type { IncomingMessage } from "node:http"
import { setImmediate as nextRound } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { incomingMessageOf } from "../src/node.ts"
import { rawClient } from "./rawClient.ts"
import { answerOf, chunk, endless, post, serve, until } from "./servedHandler.ts"

/** The number of bytes once it no longer grows. */
const settled = async (bytes: () => number) => {
  for (let same = 0, last = -1; same < 200; await nextRound()) {
    same = bytes() === last ? same + 1 : 0
    last = bytes()
  }
  return bytes()
}

describe("nodeListener, streams", () => {
  it("reads a body only as fast as the handler does", async () => {
    const answer = Promise.withResolvers<Response>()
    let incoming: IncomingMessage | undefined
    const address = await serve((request) => {
      incoming = incomingMessageOf(request)
      return answer.promise
    })
    const client = await rawClient(address)
    client.send("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 50000000\r\n\r\n")
    for (let sent = 0; sent < 50_000_000; sent += chunk.length) client.send(chunk)
    await until(() => incoming !== undefined)
    expect(await settled(() => incoming!.socket.bytesRead)).toBeLessThan(1_000_000)
    answer.resolve(answerOf("enough"))
    const [first] = await client.answered(1)
    expect([first!.status, first!.body]).toEqual([200, "enough"])
    expect(first!.head).toMatch(/^connection: close$/im)
    expect((await client.closed).length).toBe(1)
  })

  it("takes the rest of a body that the handler did not read, so that the client can write all of it", async () => {
    let incoming: IncomingMessage | undefined
    const address = await serve(async (request) => {
      incoming = incomingMessageOf(request)
      return answerOf("refused")
    })
    const client = await rawClient(address)
    client.send(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${16 * chunk.length}\r\n\r\n`)
    for (let sent = 0; sent < 16; sent++) client.send(chunk)
    expect((await client.closed).map(({ body }) => body)).toEqual(["refused"])
    expect(incoming!.complete).toBe(true)
  })

  it("fails a reading that begins after the rest of the body was dropped", async () => {
    const failed = Promise.withResolvers<unknown>()
    const address = await serve(async (request) => {
      incomingMessageOf(request)!.once("close", () => void request.text().then(failed.resolve, failed.resolve))
      return answerOf("refused")
    })
    await (await post(address, "late")).text()
    expect(await failed.promise).toBeInstanceOf(Error)
  })

  it("writes a response only as fast as the client reads it", async () => {
    const { counts, body } = endless()
    const address = await serve(async () => new Response(body))
    const client = await rawClient(address, { reads: false })
    client.send("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
    await until(() => counts.bytes > 0)
    const written = await settled(() => counts.bytes)
    expect(written).toBeLessThan(20_000_000)
    client.socket.on("data", () => {})
    client.socket.resume()
    await until(() => counts.bytes > written)
    client.socket.destroy()
    await until(() => counts.canceled)
    expect(counts.canceled).toBe(true)
  })

  it("aborts the request when the client disconnects before the response", async () => {
    const seen: Array<string> = []
    const address = await serve(async (request) => {
      seen.push("asked")
      await new Promise<void>((resolve) => request.signal.addEventListener("abort", () => resolve()))
      seen.push("aborted")
      return new Response()
    })
    const client = await rawClient(address)
    client.send("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
    await until(() => seen.length === 1)
    client.socket.destroy()
    await until(() => seen.length === 2)
    expect(seen).toEqual(["asked", "aborted"])
  })

  it("does not abort a request that is answered", async () => {
    let signal: AbortSignal | undefined
    const address = await serve(async (request) => {
      signal = request.signal
      return new Response("done")
    })
    const response = await fetch(address, { headers: { connection: "close" } })
    expect(await response.text()).toBe("done")
    await settled(() => 0)
    expect(signal!.aborted).toBe(false)
  })

  it("fails the reading of a body whose client disconnects", async () => {
    const failed = Promise.withResolvers<unknown>()
    const address = await serve(async (request) => {
      await request.text().catch(failed.resolve)
      return new Response()
    })
    const client = await rawClient(address)
    client.send("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\npart")
    await until(() => client.socket.bytesWritten > 0)
    client.socket.destroy()
    expect(await failed.promise).toBeInstanceOf(Error)
  })

  it.each([
    ["did not read", 1000, 0],
    ["read in part", 1000, 1],
    ["read to its end", 300_000, 300_000]
  ])("answers the next request of a connection after a body that the handler %s", async (_, length, read) => {
    const address = await serve(async ({ method, body }) => {
      if (method === "GET") return answerOf("next")
      const reader = body!.getReader()
      for (let left = read; left > 0;) left -= (await reader.read()).value!.length
      if (read === length) expect((await reader.read()).done).toBe(true)
      else await reader.cancel()
      return answerOf("done")
    })
    const client = await rawClient(address)
    client.send(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n${"x".repeat(length)}`)
    expect((await client.answered(1))[0]!.body).toBe("done")
    client.send("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
    expect((await client.answered(2))[1]!.body).toBe("next")
    client.socket.destroy()
  })
})
