/**
 * Clients that send slowly, read slowly or not at all, over real sockets.
 */
import { setInterval } from "node:timers"
import { setTimeout as wait } from "node:timers/promises"
import { sendInput, stores } from "@mailkeep/test-support"
import { TestClock } from "effect/testing"
import { afterEach, describe, expect, it } from "vitest"
import type { ServerLimits } from "../src/node.ts"
import { getRequest, rawClient, sendHead, sendRequest } from "./rawClient.ts"
import type { HttpTestServer } from "./httpTestServer.ts"
import { openHttpTestServer, postSend } from "./httpTestServer.ts"

const [store] = stores
const kib = 1024
const mib = 1024 * kib

let wire: HttpTestServer
const open = async (limits: Partial<ServerLimits>) => (wire = await openHttpTestServer(store!, {}, limits))
afterEach(() => wire.close())

/** Sends all but the last byte of a body. */
const holdBack = async (key: string, bytes: number) => {
  const client = await rawClient(wire.url)
  client.send(`${sendHead(key)}content-length: ${bytes + 1}\r\n\r\n`)
  client.send(Buffer.alloc(bytes, 0x20))
  return client
}

describe("request bodies", () => {
  it("refuses a body with 503 when the bodies of its API key exceed their budget", async () => {
    await open({ bodyBytesMax: 2 * mib, bodyBytesPerApiKeyMax: mib })
    const clients = await Promise.all(Array.from({ length: 12 }, () => holdBack(wire.key, 512 * kib)))
    let refused: ReadonlyArray<string> = []
    await expect
      .poll(async () => {
        expect(wire.load.bodyBytes()).toBeLessThanOrEqual(mib)
        await wire.run(TestClock.adjust("5 seconds"))
        refused = clients.flatMap(({ answers }) => answers()).map(({ status, head }) => `${status} ${head}`)
        return refused.length
      })
      .toBeGreaterThanOrEqual(10)
    expect(refused[0]).toMatch(/^503 [\s\S]*retry-after: 1\r\n[\s\S]*connection: close/i)
    // A small body does not count against the budget.
    expect((await postSend(wire, sendInput())).status).toBe(202)
    for (const { socket } of clients) socket.destroy()
    await expect.poll(() => wire.load.bodyBytes()).toBe(0)
  })

  it("reads a body when another API key has used up its budget", async () => {
    await open({ bodyBytesMax: 2 * mib, bodyBytesPerApiKeyMax: mib })
    const other = (await wire.keyOf("prj_test", ["email.send"])).secret
    const clients = await Promise.all(Array.from({ length: 4 }, () => holdBack(wire.key, 512 * kib)))
    await expect.poll(() => wire.load.bodyBytes()).toBeGreaterThan(512 * kib)
    expect((await postSend(wire, sendInput({ text: "x".repeat(700 * kib) }), { key: other })).status).toBe(202)
    for (const { socket } of clients) socket.destroy()
  })

  it("refuses a body with 408 and closes its connection when the body does not arrive in time", async () => {
    await open({ bodyMillis: 20_000 })
    const client = await holdBack(wire.key, 100)
    await expect
      .poll(async () => {
        await wire.run(TestClock.adjust("20 seconds"))
        return client.answers().length
      })
      .toBe(1)
    const [answer] = await client.closed
    expect(answer).toMatchObject({ status: 408, head: expect.stringMatching(/x-request-id: /i) })
    expect(JSON.parse(answer!.body)).toMatchObject({ error: "invalid_argument", message: expect.any(String) })
    expect(wire.load.bodyBytes()).toBe(0)
  })

  it("reads no body of a request without a valid API key", async () => {
    await open({ bodyBytesMax: 1 })
    const client = await rawClient(wire.url)
    client.send(`${sendHead("mk_nobody")}content-length: ${8 * mib}\r\n\r\n`)
    client.send(Buffer.alloc(mib, 0x20))
    const [answer] = await client.closed
    expect(answer).toMatchObject({ status: 401, head: expect.stringMatching(/connection: close/i) })
    expect(client.socket.bytesRead).toBeLessThan(2 * kib)
    expect(wire.load.bodyBytes()).toBe(0)
  })

  it("sends 100 Continue only when it is going to read the body", async () => {
    await open({})
    const body = JSON.stringify(sendInput())
    const head = (key: string) =>
      `${sendHead(key)}expect: 100-continue\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`
    const stranger = await rawClient(wire.url)
    stranger.send(head("mk_nobody"))
    const [refused] = await stranger.closed
    expect(refused).toMatchObject({ status: 401, head: expect.not.stringContaining(" 100 ") })
    const client = await rawClient(wire.url)
    let seen = ""
    client.socket.on("data", (chunk) => (seen += String(chunk)))
    client.send(head(wire.key))
    await expect.poll(() => seen).toContain("HTTP/1.1 100 Continue")
    client.send(body)
    expect(await client.answered(1)).toMatchObject([{ status: 202, head: expect.stringMatching(/keep-alive/i) }])
    client.socket.destroy()
  })

  it("refuses a body that is declared too large with 413 and without 100 Continue, because the client waits", async () => {
    await open({})
    const client = await rawClient(wire.url)
    let seen = ""
    client.socket.on("data", (chunk) => (seen += String(chunk)))
    client.send(`${sendHead(wire.key)}expect: 100-continue\r\ncontent-length: ${40 * mib}\r\n\r\n`)
    expect(await client.closed).toMatchObject([{ status: 413, head: expect.stringMatching(/connection: close/i) }])
    expect(seen).not.toContain("100 Continue")
  })

  it("refuses a head with 408 when the head does not arrive in time", async () => {
    await open({ headMillis: 150 })
    const client = await rawClient(wire.url)
    client.send("GET / HTTP/1.1\r\nhost: x\r\n")
    expect(await client.closed).toMatchObject([{ status: 408 }])
  })
})

describe("answers", () => {
  /** The path of a response of 3 MiB. */
  const bigPath = async () => {
    const text = "x".repeat(1.5 * mib)
    const { body } = await postSend(wire, sendInput({ html: text, text }))
    return `/emails/logs/${body.data.deliveryIds[0]}`
  }

  it("closes a connection when its response makes no progress", async () => {
    await open({ stallMillis: 1000 })
    const request = getRequest(wire.key, await bigPath())
    const client = await rawClient(wire.url, { reads: false })
    client.send(request.repeat(10))
    await expect.poll(() => wire.load.responseBytes()).toBeGreaterThan(3 * mib)
    await expect.poll(() => [wire.load.responseBytes(), wire.load.connections()]).toEqual([0, 1])
  })

  it("closes a connection when its response takes too long, although the client reads some of it", async () => {
    await open({ responseMillis: 1000 })
    const request = getRequest(wire.key, await bigPath())
    const client = await rawClient(wire.url, { reads: false })
    client.send(request.repeat(20))
    const reading = setInterval(() => client.socket.read(16 * kib), 10)
    await expect.poll(() => wire.load.connections()).toBe(2)
    await expect.poll(() => [wire.load.responseBytes(), wire.load.connections()]).toEqual([0, 1])
    clearInterval(reading)
  })

  it("handles no further request of a connection when the client does not read the response", async () => {
    await open({})
    const request = getRequest(wire.key, await bigPath())
    const client = await rawClient(wire.url, { reads: false })
    client.send(request.repeat(40))
    let most = 0
    for (let look = 0; look < 20; look++) {
      await wait(10)
      most = Math.max(most, wire.load.responseBytes())
    }
    expect(most).toBeGreaterThan(3 * mib)
    expect(most).toBeLessThan(4 * mib)
    client.socket.destroy()
    await expect.poll(() => wire.load.responseBytes()).toBe(0)
  })

  it("takes the memory of a response once while its client does not read it", async () => {
    await open({})
    const path = await bigPath()
    const before = process.memoryUsage().arrayBuffers
    const client = await rawClient(wire.url, { reads: false })
    client.send(getRequest(wire.key, path).repeat(10))
    await expect.poll(() => wire.load.responseBytes()).toBeGreaterThan(3 * mib)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(7 * mib)
    client.socket.destroy()
  })

  it("answers 503 instead of a large response when unread responses use up the budget, and cuts off the slowest", async () => {
    await open({ responseBytesMax: 4 * mib, stallMillis: 2000, readBytesPerSecond: 64 * mib })
    const path = await bigPath()
    const client = await rawClient(wire.url, { reads: false })
    client.send(getRequest(wire.key, path).repeat(10))
    await expect.poll(() => wire.load.responseBytes()).toBeGreaterThan(3 * mib)
    const crowded = await rawClient(wire.url)
    crowded.send(getRequest(wire.key, path, "x-request-id: crowded\r\n"))
    const [answer] = await crowded.answered(1)
    expect(answer).toMatchObject({
      status: 503,
      head: expect.stringMatching(/retry-after: 1[\s\S]*x-request-id: crowded/i)
    })
    expect(answer!.head).toMatch(/^content-type: application\/json$/im)
    expect(answer!.head).toMatch(/^x-content-type-options: nosniff$/im)
    expect(JSON.parse(answer!.body)).toMatchObject({ error: "unavailable", correlationId: "crowded" })
    expect((await postSend(wire, sendInput())).status).toBe(202)
    await expect.poll(async () => (await wire.call(path)).status, { interval: 100 }).toBe(200)
    crowded.socket.destroy()
  })

  it("answers a large read while clients without an API key do not read the docs page", async () => {
    await open({})
    const path = await bigPath()
    const strangers = await Promise.all(Array.from({ length: 3 }, () => rawClient(wire.url, { reads: false })))
    for (const { send } of strangers) send("GET /docs HTTP/1.1\r\nhost: x\r\n\r\n".repeat(10))
    await expect.poll(() => wire.load.responseBytes()).toBeGreaterThan(9 * mib)
    expect((await wire.call(path)).status).toBe(200)
    for (const { socket } of strangers) socket.destroy()
  })

  it("answers 503 instead of the docs page when unread docs pages use up the budget", async () => {
    await open({ responseBytesMax: 4 * mib })
    const stranger = await rawClient(wire.url, { reads: false })
    stranger.send("GET /docs HTTP/1.1\r\nhost: x\r\n\r\n".repeat(10))
    await expect.poll(() => wire.load.responseBytes()).toBeGreaterThan(3 * mib)
    const other = await fetch(`${wire.url}/docs`)
    expect([other.status, other.headers.get("retry-after")]).toEqual([503, "1"])
    stranger.socket.destroy()
  })

  it("answers pipelined requests in order, and closes the connection after too many", async () => {
    await open({})
    const client = await rawClient(wire.url)
    client.send(
      sendRequest(wire.key, sendInput()) + getRequest(wire.key, "/emails/domains") + getRequest(wire.key, "/nowhere")
    )
    expect((await client.answered(3)).map(({ status }) => status)).toEqual([202, 200, 404])
    client.send(getRequest(wire.key, "/emails/domains").repeat(200))
    const answers = await client.closed
    expect(answers.length).toBeGreaterThan(50)
    expect(answers.length).toBeLessThan(100)
    expect(answers.at(-1)?.head).toMatch(/connection: close/i)
  })

  it("closes the connection at once when a client sends a thousand requests without waiting", async () => {
    await open({})
    const client = await rawClient(wire.url)
    client.send("GET /nowhere HTTP/1.1\r\nhost: x\r\n\r\n".repeat(1000))
    // The first request is answered while the others are read.
    expect((await client.closed).length).toBeLessThan(10)
    await expect.poll(() => wire.load.connections()).toBeLessThan(2)
  })
})

describe("connections", () => {
  it("closes a connection above the limit, and every connection that carries no request", async () => {
    // One of them belongs to the client of `openHttpTestServer`.
    await open({ connectionsMax: 4 })
    const resting = await rawClient(wire.url)
    resting.send(getRequest(wire.key, "/emails/domains"))
    await resting.answered(1)
    const others = await Promise.all([holdBack(wire.key, 10), holdBack(wire.key, 10)])
    const dropped = await rawClient(wire.url)
    await Promise.all([dropped.closed, resting.closed])
    await expect.poll(() => wire.load.connections()).toBe(2)
    const next = await rawClient(wire.url)
    next.send(getRequest(wire.key, "/emails/domains"))
    expect(await next.answered(1)).toMatchObject([{ status: 200 }])
    for (const { socket } of [...others, next]) socket.destroy()
  })

  it("closes a connection above the limit of its remote address when that option is set", async () => {
    await open({ connectionsPerAddressMax: 3 })
    const clients = await Promise.all([holdBack(wire.key, 10), holdBack(wire.key, 10)])
    const third = await rawClient(wire.url)
    expect(await third.closed).toEqual([])
    for (const { socket } of clients) socket.destroy()
    await expect.poll(async () => (await wire.call("/emails/domains").catch(() => ({ status: 0 }))).status).toBe(200)
  })

  it("announces that a connection without a request is kept for 65 s", async () => {
    await open({})
    const client = await rawClient(wire.url)
    client.send(getRequest(wire.key, "/emails/domains"))
    expect((await client.answered(1))[0]?.head).toMatch(/keep-alive: timeout=65\b/i)
    client.socket.destroy()
  })

  it("keeps a connection without a request for the announced time at least, and then closes it", async () => {
    await open({ keepAliveMillis: 1000 })
    const client = await rawClient(wire.url)
    client.send(getRequest(wire.key, "/emails/domains"))
    expect((await client.answered(1))[0]?.head).toMatch(/keep-alive: timeout=1\b/i)
    const answeredAt = performance.now()
    await client.closed
    expect(performance.now() - answeredAt).toBeGreaterThanOrEqual(1000)
  })
})
