/**
 * No request reaches an address that is not public: as a literal, behind a host name, after a DNS change, or by a redirect.
 */
import { createSocket } from "node:dgram"
import { Resolver } from "node:dns/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { SinkRequest } from "@mailkeep/core/adapter"
import { Effect, Fiber, Result } from "effect"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { WebhookSink } from "../src/index.ts"

const eventDelivery = (endpoint: string): SinkRequest => ({
  id: "evd_1",
  endpoint,
  headers: {},
  body: new TextEncoder().encode("{}")
})

/** The failure of an event delivery to this endpoint, or the status of its response. */
const outcome = async (sink: ReturnType<typeof WebhookSink.make>, endpoint: string) => {
  const pushed = await Effect.runPromise(Effect.result(sink.send(eventDelivery(endpoint))))
  return Result.isFailure(pushed) ? pushed.failure.reason : pushed.success.status
}

/** Answers each question for an A record with the next of its addresses, and then always with the last one. */
const nameServer = async (addresses: ReadonlyArray<ReadonlyArray<string>>) => {
  const socket = createSocket("udp4")
  let asked = 0
  socket.on("message", (question, from) => {
    const isA = question.readUInt16BE(question.length - 4) === 1 || question.includes(Buffer.from([0, 1, 0, 1]))
    const found = isA ? (addresses[Math.min(asked++, addresses.length - 1)] ?? []) : []
    const end = question.indexOf(0, 12) + 5
    const head = Buffer.from(question.subarray(0, end))
    head.writeUInt16BE(0x8180, 2)
    head.writeUInt16BE(found.length, 6)
    head.writeUInt32BE(0, 8)
    const records = found.map((address) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)])
    )
    socket.send(Buffer.concat([head, ...records]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve))
  return { at: `127.0.0.1:${socket.address().port}`, close: () => socket.close() }
}

describe("a webhook", () => {
  let requests: Array<string>
  let port: number
  const server = createServer((request, response) => {
    requests.push(request.url!)
    if (request.url === "/redirect") response.writeHead(302, { location: "/target" }).end()
    else if (request.url === "/endless") {
      response.writeHead(200)
      const pour = () => {
        while (response.write("x".repeat(16 * 1024))) if (response.destroyed) return
      }
      response.on("drain", pour)
      pour()
    } else response.writeHead(200).end("ok")
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    port = (server.address() as AddressInfo).port
    requests = []
  })
  afterAll(() => server.closeAllConnections())

  const strict = WebhookSink.make()

  it.each([
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://①②⑦.0.0.1/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2002:7f00:1::]/",
    "https://[fe80::1]/",
    "https://[fd00::1]/",
    "https://[100::1]/",
    "https://[3fff::1]/",
    "https://[5f00::1]/",
    "https://10.0.0.1/",
    "https://172.16.0.1/",
    "https://192.168.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://100.100.100.200/",
    "https://168.63.129.16/",
    "https://192.0.0.192/",
    "https://[fd00:ec2::254]/",
    "https://0.0.0.0/",
    "https://255.255.255.255/",
    "https://224.0.0.1/"
  ])("sends no request to %s", async (endpoint) => {
    expect(await outcome(strict, endpoint.replace("/", "/"))).toBe("address_not_allowed")
  })

  it.each([
    "https://8.8.8.8:22/",
    "https://8.8.8.8:25/",
    "https://8.8.8.8:444/",
    "https://[2001:4860:4860::8888]:9200/"
  ])("sends no request to the port of %s", async (endpoint) =>
    expect(await outcome(strict, endpoint)).toBe("port_not_allowed")
  )

  it("sends to no port and no address that its options exclude, whatever the host name", async () => {
    const names = await nameServer([["203.0.114.9"]])
    const sink = WebhookSink.make({ nameServers: [names.at], ports: [9443], deniedAddresses: ["203.0.114.0/24"] })
    expect(await outcome(sink, "https://denied.example/")).toBe("port_not_allowed")
    expect(await outcome(sink, "https://denied.example:9443/")).toBe("address_not_allowed")
    names.close()
  })

  it.each(["http://8.8.8.8/", "ftp://example.com/", "file:///etc/passwd", "nonsense"])(
    "refuses the protocol of %s",
    async (endpoint) => expect(await outcome(strict, endpoint)).toBe("not_https")
  )

  it("refuses a host when any of its addresses is not public, and resolves the host at every attempt", async () => {
    const names = await nameServer([["10.0.0.1"], ["8.8.8.8", "127.0.0.1"], []])
    const sink = WebhookSink.make({ nameServers: [names.at] })
    expect(await outcome(sink, "https://rebind.example/")).toBe("address_not_allowed")
    expect(await outcome(sink, "https://rebind.example/")).toBe("address_not_allowed")
    expect(await outcome(sink, "https://rebind.example/")).toBe("name_not_resolved")
    names.close()
  })

  it("connects to the checked address although the host name resolves to another address afterwards", async () => {
    const names = await nameServer([["127.0.0.1"], ["10.0.0.1"]])
    const sink = WebhookSink.make({ nameServers: [names.at], allowLoopback: true })
    expect(await outcome(sink, `http://pinned.example:${port}/pinned`)).toBe(200)
    expect(await outcome(sink, `http://pinned.example:${port}/pinned`)).toBe("address_not_allowed")
    expect(requests.filter((url) => url === "/pinned")).toHaveLength(1)
    names.close()
  })

  it("cancels the DNS query of an attempt that is interrupted, which would keep the process alive", async () => {
    const silent = createSocket("udp4")
    const asked = Promise.withResolvers<void>()
    silent.on("message", () => asked.resolve())
    await new Promise<void>((resolve) => silent.bind(0, "127.0.0.1", resolve))
    const cancel = vi.spyOn(Resolver.prototype, "cancel")
    const sink = WebhookSink.make({ nameServers: [`127.0.0.1:${silent.address().port}`] })
    const sending = Effect.runFork(sink.send(eventDelivery("https://silent.example/")))
    await asked.promise
    await Effect.runPromise(Fiber.interrupt(sending))
    expect(cancel).toHaveBeenCalledOnce()
    cancel.mockRestore()
    silent.close()
  })

  it("uses an open connection again only for the address that it goes to", async () => {
    const names = await nameServer([["127.0.0.1"], ["127.0.0.1"], ["127.0.0.2"]])
    const sink = WebhookSink.make({ nameServers: [names.at], allowLoopback: true })
    const ports: Array<string> = []
    const recording = createServer((request, response) => {
      ports.push(`${request.socket.localAddress}:${request.socket.remotePort}`)
      response.writeHead(204).end()
    })
    await new Promise<void>((resolve) => recording.listen(0, "0.0.0.0", resolve))
    const endpoint = `http://moving.example:${(recording.address() as AddressInfo).port}/`
    for (let n = 0; n < 3; n++) expect(await outcome(sink, endpoint)).toBe(204)
    expect(ports[1]).toBe(ports[0])
    expect([ports[0], ports[2]].map((one) => one!.split(":")[0])).toEqual(["127.0.0.1", "127.0.0.2"])
    recording.closeAllConnections()
    recording.close()
    names.close()
  })

  it("sends the request on a new connection when the endpoint has closed the open one", async () => {
    const sink = WebhookSink.make({ allowLoopback: true })
    const sockets = new Set<unknown>()
    const closing = createServer((request, response) => {
      if (sockets.has(request.socket)) return void request.socket.destroy()
      sockets.add(request.socket)
      response.writeHead(204).end()
    })
    await new Promise<void>((resolve) => closing.listen(0, "127.0.0.1", resolve))
    const endpoint = `http://127.0.0.1:${(closing.address() as AddressInfo).port}/`
    for (let n = 0; n < 3; n++) expect(await outcome(sink, endpoint)).toBe(204)
    expect(sockets.size).toBe(3)
    closing.closeAllConnections()
    closing.close()
  })

  it("does not follow a redirect and does not use a proxy", async () => {
    process.env["HTTPS_PROXY"] = process.env["HTTP_PROXY"] = `http://127.0.0.1:${port}`
    const sink = WebhookSink.make({ allowLoopback: true })
    expect(await outcome(sink, `http://127.0.0.1:${port}/redirect`)).toBe(302)
    expect(requests).toContain("/redirect")
    expect(requests).not.toContain("/target")
    delete process.env["HTTPS_PROXY"]
    delete process.env["HTTP_PROXY"]
  })

  it("reads only a limited part of a response body", async () => {
    expect(await outcome(WebhookSink.make({ allowLoopback: true }), `http://127.0.0.1:${port}/endless`)).toBe(200)
  })

  it("refuses a loopback address without the development option", async () => {
    expect(await outcome(WebhookSink.make(), `https://localhost:${port}/`)).not.toBe(200)
    expect(await outcome(WebhookSink.make({ allowLoopback: true }), `http://localhost:${port}/`)).toBe(200)
    expect(await outcome(WebhookSink.make({ allowLoopback: true }), "https://10.0.0.1/")).toBe("address_not_allowed")
  })
})
