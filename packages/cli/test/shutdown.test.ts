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
import { makeSignalWatch } from "../src/secondSignal.ts"
import { readyToSend, request, send, serve } from "./commandLine.ts"

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

/** Starts a server with a webhook that answers nothing. */
const serveWithHangingWebhook = async (grace: string) => {
  const { key } = await readyToSend(["--data", data])
  const hanging = createServer(() => {}).listen(0, "127.0.0.1")
  await once(hanging, "listening")
  const server = await serve(["serve", "--data", data, "--port", "0", "--grace", grace, "--allow-loopback-webhooks"])
  const { url } = server.line
  const { port } = hanging.address() as AddressInfo
  await request(url, key, "/emails/webhooks", {
    method: "POST",
    body: JSON.stringify({ url: `http://127.0.0.1:${port}/`, events: ["email.delivered"] })
  })
  return {
    server,
    key,
    url,
    /** Waits for the request of an event. */
    requested: once(hanging, "request"),
    close: () => {
      hanging.closeAllConnections()
      hanging.close()
    }
  }
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
    const { server, key, url, requested, close } = await serveWithHangingWebhook("6s")
    const sent = await request(url, key, "/emails/send", {
      method: "POST",
      body: message("x".repeat(1024 * 1024)),
      headers: { "idempotency-key": "big" }
    })
    await requested
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
    close()
  })
})

describe("a second signal", () => {
  it("ends the server at once, in the middle of its grace time", async () => {
    const { server, key, url, requested, close } = await serveWithHangingWebhook("24h")
    await request(url, key, "/emails/send", send("once"))
    await requested
    const ended = server.kill("SIGINT")
    // The first signals are one, as after Ctrl-C.
    let isRunning = true
    void ended.finally(() => (isRunning = false))
    while (isRunning) {
      void server.kill("SIGINT")
      await wait(100)
    }
    expect(await ended).toBe(130)
    expect(server.output.stderr).toContain("mailkeep: A second signal ended the command at once")
    close()
  })

  it.each([
    ["none", [0], []],
    ["of the same time", [0, 0, 999], []],
    ["a second later", [0, 1000], [1000]],
    ["after repetitions of the first", [0, 3, 2500], [2500]]
  ])("is one that comes a second after the first: %s", (_, times, ends) => {
    let now = 0
    const ended: Array<number> = []
    const onSignal = makeSignalWatch(
      () => now,
      () => ended.push(now)
    )
    for (const time of times) {
      now = time
      onSignal()
    }
    expect(ended).toEqual(ends)
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
