/**
 * `serve` under SIGTERM: it answers the accepted requests, and one grace period bounds everything that may hang.
 */
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { parseDuration } from "../src/flags.ts"
import { readyToSend, request, serve } from "./commandLine.ts"

let data: string
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "mailkeep-shutdown-"))
})
afterEach(() => rmSync(data, { recursive: true }))

const message = (text: string) =>
  JSON.stringify({ from: "hello@example.com", to: "ada@example.org", subject: "Hi", text, html: text })

const open = async (url: string): Promise<Socket> => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1")
  socket.on("error", () => {})
  await once(socket, "connect")
  return socket
}

describe("SIGTERM", () => {
  it("answers the requests that were sent just before SIGTERM", async () => {
    const { key } = await readyToSend(["--data", data])
    const server = await serve(["serve", "--data", data, "--port", "0"])
    const body = message("Hi")
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const socket = await open(server.line.url)
        let text = ""
        socket.on("data", (chunk) => (text += String(chunk)))
        socket.write(
          `POST /api/v1/emails/send HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\nidempotency-key: k${at}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
        )
        return { closed: once(socket, "close"), text: () => text }
      })
    )
    expect(await server.kill("SIGTERM")).toBe(0)
    for (const { closed, text } of answers) {
      await closed
      // A response before the signal announces that its connection is kept open.
      expect(text()).toMatch(/^HTTP\/1\.1 202 /)
    }
  })

  it("ends within one grace after SIGTERM although a webhook and a reader hang", async () => {
    const { key } = await readyToSend(["--data", data])
    const hanging = createServer(() => {}).listen(0, "127.0.0.1")
    await once(hanging, "listening")
    const pushed = once(hanging, "request")
    const server = await serve(["serve", "--data", data, "--port", "0", "--grace", "6s", "--allow-loopback-webhooks"])
    const { url } = server.line
    await request(url, key, "/emails/webhooks", {
      method: "POST",
      body: JSON.stringify({
        url: `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/`,
        events: ["email.delivered"]
      })
    })
    const sent = await request(url, key, "/emails/send", {
      method: "POST",
      body: message("x".repeat(1024 * 1024)),
      headers: { "idempotency-key": "big" }
    })
    await pushed
    const reader = await open(url)
    reader.pause()
    reader.write(
      `GET /api/v1/emails/logs/${sent.body.data.deliveryIds[0]} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`.repeat(
        10
      )
    )
    await wait(200)
    const begun = performance.now()
    expect(await server.kill("SIGTERM")).toBe(0)
    const millis = performance.now() - begun
    expect(millis).toBeGreaterThan(5900)
    // One after the other, the reader and the webhook would take 12 s.
    expect(millis).toBeLessThan(11_800)
    reader.destroy()
    hanging.closeAllConnections()
    hanging.close()
  })
})

describe("SIGHUP", () => {
  it("ends the server as SIGTERM does, when its terminal is closed", async () => {
    const { key } = await readyToSend(["--data", data])
    const server = await serve(["serve", "--data", data, "--port", "0"])
    const socket = await open(server.line.url)
    let text = ""
    socket.on("data", (chunk) => (text += String(chunk)))
    const body = message("Hi")
    socket.write(
      `POST /api/v1/emails/send HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\nidempotency-key: k\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    )
    const closed = once(socket, "close")
    expect(await server.kill("SIGHUP")).toBe(0)
    await closed
    expect(text).toMatch(/^HTTP\/1\.1 202 /)
  })
})

describe("parseDuration", () => {
  it.each([
    ["10s", 10_000],
    ["500ms", 500],
    ["2m", 120_000],
    ["24h", 86_400_000],
    ["0s", 0],
    ["", undefined],
    ["10", undefined],
    ["1.5s", undefined],
    ["-1s", undefined],
    ["25h", undefined],
    ["10 s", undefined]
  ])("reads the duration %j as %s milliseconds", (text, millis) => {
    expect(parseDuration(text)).toBe(millis)
  })
})
