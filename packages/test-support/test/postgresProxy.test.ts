/**
 * The proxy between products and PostgreSQL, with a server that returns messages.
 */
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { connect, createServer } from "node:net"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeMessageFrames } from "../src/postgresFrames.ts"
import { startProxy } from "../src/postgresProxy.ts"

const message = (type: string, text: string): Buffer => {
  const body = Buffer.from(text)
  const head = Buffer.alloc(4)
  head.writeUInt32BE(4 + body.length)
  return Buffer.concat([Buffer.from(type), head, body])
}

describe("makeMessageFrames", () => {
  it("finds the same messages however the bytes are cut", () => {
    const texts = fc.array(fc.string({ maxLength: 20 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(texts, fc.array(fc.nat(200), { maxLength: 8 }), ([first, ...others], places) => {
        const sent = [message("", first!), ...others.map((text) => message("Q", text))]
        const bytes = Buffer.concat(sent)
        const cuts = [...new Set(places.filter((place) => place < bytes.length))].toSorted((a, b) => a - b)
        const frames = makeMessageFrames("client")
        const parts = [0, ...cuts].map((from, index) => bytes.subarray(from, cuts[index]))
        expect(parts.flatMap((part) => frames(part)).map(String)).toEqual(sent.map(String))
      })
    )
  })
})

/** A server that returns each message except the first, behind a proxy, and a client. */
const connected = async (cleanUp: AsyncDisposableStack) => {
  const server = createServer((socket) => {
    const frames = makeMessageFrames("client")
    socket.on("error", () => {})
    socket.on("data", (bytes: Buffer) => {
      for (const one of frames(bytes)) if (one.toString("latin1", 0, 1) === "Q") socket.write(one)
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  cleanUp.defer(() => void server.close())
  const proxy = cleanUp.use(await startProxy((server.address() as AddressInfo).port))
  const client = connect(proxy.port, "127.0.0.1")
  let received = ""
  client.on("data", (bytes) => (received += String(bytes)))
  client.on("error", () => {})
  await once(client, "connect")
  const closed = once(client, "close")
  return { proxy, client, received: () => received, closed }
}

describe("startProxy", () => {
  it("forwards messages in both directions", async () => {
    await using cleanUp = new AsyncDisposableStack()
    const { client, received } = await connected(cleanUp)
    client.write(message("", "start"))
    client.write(message("Q", "one"))
    await expect.poll(() => received().includes("one")).toBe(true)
  })

  it("cuts every connection at the armed message to the server, which does not arrive", async () => {
    await using cleanUp = new AsyncDisposableStack()
    const { proxy, client, received, closed } = await connected(cleanUp)
    proxy.arm({ direction: "toServer", message: 2 })
    client.write(message("", "start"))
    expect(proxy.hasCut()).toBe(false)
    client.write(message("Q", "lost"))
    await closed
    expect(proxy.hasCut()).toBe(true)
    expect(received()).not.toContain("lost")
  })

  it("cuts nothing when it is disarmed", async () => {
    await using cleanUp = new AsyncDisposableStack()
    const { proxy, client, received } = await connected(cleanUp)
    proxy.arm({ direction: "toServer", message: 1 })
    proxy.arm(null)
    client.write(message("", "start"))
    client.write(message("Q", "one"))
    await expect.poll(() => received().includes("one")).toBe(true)
    expect(proxy.hasCut()).toBe(false)
  })

  it("leaves connections open and forwards nothing on them when the host disappears, and forwards on new ones", async () => {
    await using cleanUp = new AsyncDisposableStack()
    const { proxy, client, received } = await connected(cleanUp)
    client.write(message("", "start"))
    client.write(message("Q", "before"))
    await expect.poll(() => received().includes("before")).toBe(true)
    proxy.silenceAll()
    client.write(message("Q", "after"))
    const other = connect(proxy.port, "127.0.0.1")
    const answered = once(other, "data")
    other.write(Buffer.concat([message("", "start"), message("Q", "other")]))
    expect(String((await answered)[0])).toContain("other")
    expect([client.destroyed, received().includes("after")]).toEqual([false, false])
    other.destroy()
  })

  it("closes every connection when it is asked to, and sends new ones to the new target", async () => {
    await using cleanUp = new AsyncDisposableStack()
    const { proxy, closed } = await connected(cleanUp)
    const other = createServer((socket) => void socket.end(message("Z", "other"))).listen(0, "127.0.0.1")
    await once(other, "listening")
    proxy.setTarget((other.address() as AddressInfo).port)
    proxy.cutAll()
    await closed
    const client = connect(proxy.port, "127.0.0.1")
    const [bytes] = (await once(client, "data")) as [Buffer]
    expect(String(bytes)).toContain("other")
    client.destroy()
    other.close()
  })
})
