/**
 * The shutdown of the server: it answers the accepted requests, and no client delays it beyond its grace period.
 */
import { setTimeout as wait } from "node:timers/promises"
import { sendInput, stores } from "@mailkeep/test-support"
import { afterEach, describe, expect, it } from "vitest"
import type { ServerLimits } from "../src/node.ts"
import { getRequest, rawClient, sendHead, sendRequest } from "./rawClient.ts"
import type { HttpTestServer } from "./httpTestServer.ts"
import { openHttpTestServer } from "./httpTestServer.ts"

const [store] = stores

let wire: HttpTestServer
const open = async (limits: Partial<ServerLimits> = {}) =>
  (wire = await openHttpTestServer(store!, {}, { graceMillis: 10_000, ...limits }))
afterEach(() => wire.close())

describe("shutDown", () => {
  it("answers the requests of connections opened just before a shutdown, and closes each connection", async () => {
    await open()
    const clients = await Promise.all(Array.from({ length: 20 }, () => rawClient(wire.url)))
    const stopped = wire.stop()
    for (const { send } of clients) send(sendRequest(wire.key, sendInput()))
    for (const { closed } of clients)
      expect(await closed).toMatchObject([{ status: 202, head: expect.stringMatching(/connection: close/i) }])
    await stopped
  })

  it("accepts the connections in the kernel's queue when a shutdown begins", async () => {
    await open()
    const clients = Promise.all(Array.from({ length: 20 }, () => rawClient(wire.url)))
    const stopped = wire.stop()
    for (const { send, closed } of await clients) {
      send(getRequest(wire.key, "/emails/domains"))
      expect(await closed).toMatchObject([{ status: 200 }])
    }
    await stopped
  })

  it("closes a connection without a request and accepts no new connection when a shutdown begins", async () => {
    await open()
    const client = await rawClient(wire.url)
    client.send(getRequest(wire.key, "/emails/domains"))
    await client.answered(1)
    const stopped = wire.stop()
    expect(await client.closed).toHaveLength(1)
    await stopped
    await expect(fetch(wire.url)).rejects.toThrow("fetch failed")
  })

  it("waits for a body that arrives within the grace of a shutdown", async () => {
    await open()
    const client = await rawClient(wire.url)
    const body = JSON.stringify(sendInput())
    client.send(`${sendHead(wire.key)}content-length: ${body.length}\r\n\r\n`)
    await expect.poll(() => wire.load.connections()).toBe(2)
    const stopped = wire.stop()
    for (const part of [body.slice(0, 10), body.slice(10)]) {
      await wait(50)
      client.send(part)
    }
    expect(await client.closed).toMatchObject([{ status: 202, head: expect.stringMatching(/connection: close/i) }])
    await stopped
  })

  it("gives up an incomplete request without progress long before the grace of a shutdown ends", async () => {
    await open({ graceMillis: 100_000 })
    const [head, body, nothing] = await Promise.all([rawClient(wire.url), rawClient(wire.url), rawClient(wire.url)])
    head.send("GET / HTTP/1.1\r\nhost: x\r\n")
    body.send(`${sendHead(wire.key)}content-length: 100\r\n\r\n{`)
    await expect.poll(() => wire.load.connections()).toBe(4)
    const begun = performance.now()
    await wire.stop()
    expect(await head.closed).toMatchObject([{ status: 408 }])
    expect(await body.closed).toMatchObject([{ status: 408 }])
    expect(await nothing.closed).toEqual([])
    expect(performance.now() - begun).toBeLessThan(50_000)
  })

  it("ends a shutdown after its grace when a client does not read", async () => {
    await open({ graceMillis: 200 })
    const text = "x".repeat(1024 * 1024)
    const { body } = await wire.call("/emails/send", {
      method: "POST",
      body: sendInput({ html: text, text }),
      headers: { "idempotency-key": "big" }
    })
    const client = await rawClient(wire.url, { reads: false })
    client.send(getRequest(wire.key, `/emails/logs/${body.data.deliveryIds[0]}`).repeat(10))
    await expect.poll(() => wire.load.responseBytes()).toBeGreaterThan(0)
    const begun = performance.now()
    await wire.stop()
    expect(wire.load.connections()).toBe(0)
    expect(performance.now() - begun).toBeLessThan(30_000)
  })
})
