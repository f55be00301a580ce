/**
 * The head of a response decides, whatever follows it. These receivers write to the socket themselves.
 */
import { subscribe } from "node:diagnostics_channel"
import type { AddressInfo, Socket } from "node:net"
import { createServer } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import type { SinkOutcome, SinkUnavailable } from "@mailkeep/core/adapter"
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { WebhookSink } from "../src/index.ts"
import { retryAfterSeconds } from "../src/internal/retryAfter.ts"

interface Tried {
  readonly result: Result.Result<SinkOutcome, SinkUnavailable>
  readonly millis: number
  readonly connections: number
}

/**
 * Sends one event delivery to a receiver that handles each connection after the whole request, and waits until the connection is closed.
 */
const eventDeliveryTo = async (answer: (socket: Socket) => void): Promise<Tried> => {
  let connections = 0
  const closed = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    connections++
    socket.on("error", () => {})
    socket.on("close", () => closed.resolve())
    socket.on("data", (chunk: Buffer) => {
      if (String(chunk).endsWith("{}")) answer(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const began = performance.now()
  const result = await Effect.runPromise(
    WebhookSink.make({ allowLoopback: true })
      .send({ id: "evd_1", endpoint: `http://127.0.0.1:${port}/`, headers: {}, body: new TextEncoder().encode("{}") })
      .pipe(Effect.result, Effect.timeout("10 seconds"))
  ).catch(() => undefined)
  const millis = performance.now() - began
  await closed.promise
  server.close()
  if (result === undefined) throw new Error("no outcome within 10 s")
  return { result, millis, connections }
}

const head = (status: string, ...fields: ReadonlyArray<string>) =>
  [`HTTP/1.1 ${status}`, ...fields, "", ""].join("\r\n")

const dripping = async (socket: Socket, piece: string) => {
  while (!socket.destroyed) {
    socket.write(piece)
    await pause(20)
  }
}

const bodies: ReadonlyArray<readonly [string, (socket: Socket, status: string) => void]> = [
  [
    "drips",
    (socket, status) => {
      socket.write(head(status, "Content-Length: 1000000"))
      void dripping(socket, ".")
    }
  ],
  [
    "drips in chunks",
    (socket, status) => {
      socket.write(head(status, "Transfer-Encoding: chunked"))
      void dripping(socket, "1\r\n.\r\n")
    }
  ],
  ["never comes", (socket, status) => void socket.write(head(status, "Content-Length: 10"))],
  [
    "breaks off",
    (socket, status) => {
      socket.write(`${head(status, "Content-Length: 10")}abc`)
      socket.end()
    }
  ],
  [
    "is reset",
    (socket, status) => {
      socket.write(head(status, "Content-Length: 10"), () => setImmediate(() => socket.resetAndDestroy()))
    }
  ],
  [
    "is no chunk although chunks are announced",
    (socket, status) => void socket.write(`${head(status, "Transfer-Encoding: chunked")}zzz\r\nnonsense`)
  ],
  [
    "never ends",
    (socket, status) => {
      socket.write(head(status))
      const pour = () => {
        while (!socket.destroyed && socket.write("x".repeat(16 * 1024)));
      }
      socket.on("drain", pour)
      pour()
    }
  ]
]

describe("the status of a response", () => {
  it.each(bodies)(
    "reports an accepted event for a 2xx status when the body %s, and closes the connection",
    async (_, answer) => {
      const { result, connections, millis } = await eventDeliveryTo((socket) => answer(socket, "200 OK"))
      expect(Result.isSuccess(result) && result.success).toEqual({ _tag: "Accepted", status: 200 })
      expect(connections).toBe(1)
      expect(millis).toBeLessThan(9000)
    }
  )

  it.each(bodies)("reports a refusal when the body %s", async (_, answer) => {
    const { result } = await eventDeliveryTo((socket) => answer(socket, "410 Gone"))
    expect(Result.isSuccess(result) && result.success).toMatchObject({
      _tag: "Refused",
      status: 410,
      wantsNoMoreEvents: true
    })
  })
})

describe("a refusal", () => {
  it.each([
    ["400 Bad Request", 400, false],
    ["404 Not Found", 404, false],
    ["410 Gone", 410, true],
    ["503 Service Unavailable", 503, false]
  ])("says for the status %s whether the receiver wants more events", async (status, code, wantsNoMoreEvents) => {
    const { result } = await eventDeliveryTo((socket) => {
      socket.write(head(status, "Content-Length: 0", "Connection: close"))
    })
    expect(Result.isSuccess(result) && result.success).toEqual({
      _tag: "Refused",
      status: code,
      retryAfterSeconds: null,
      wantsNoMoreEvents
    })
  })
})

describe("an open connection", () => {
  const reset = (socket: Socket, begin: string) =>
    socket.write(begin, () => setImmediate(() => socket.resetAndDestroy()))

  it.each([
    ["the head of a response", head("200 OK", "Content-Length: 10"), 200],
    ["an interim response", head("103 Early Hints"), "econnreset"]
  ])("sends a request once when the connection is reset after %s", async (_, begin, second) => {
    let requests = 0
    const server = createServer((socket) => {
      socket.on("error", () => {})
      socket.on("data", (chunk: Buffer) => {
        if (!String(chunk).endsWith("{}")) return
        if (++requests === 2) reset(socket, begin)
        else socket.write(head("204 No Content"))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const sink = WebhookSink.make({ allowLoopback: true })
    const send = async () => {
      const request = { id: "evd_1", endpoint: `http://127.0.0.1:${port}/`, headers: {}, body: Buffer.from("{}") }
      const result = await Effect.runPromise(Effect.result(sink.send(request)))
      return Result.isSuccess(result) ? result.success.status : result.failure.reason
    }
    const noticed = Promise.withResolvers<void>()
    subscribe("http.client.request.error", () => noticed.resolve())
    const outcomes = [await send(), await send()]
    await noticed.promise
    outcomes.push(await send())
    expect([outcomes, requests]).toEqual([[204, second, 204], 3])
    server.close()
  })
})

describe("interim responses", () => {
  it("reports the status behind a few interim responses", async () => {
    const interim = head("100 Continue") + head("103 Early Hints", "Link: </a>")
    const { result } = await eventDeliveryTo((socket) => {
      socket.write(interim.repeat(10) + head("204 No Content", "Connection: close"))
    })
    expect(Result.isSuccess(result) && result.success).toEqual({ _tag: "Accepted", status: 204 })
  })

  it.each(["100 Continue", "103 Early Hints"])("fails when %s is repeated without an end", async (status) => {
    const { result, connections } = await eventDeliveryTo((socket) => {
      const pour = () => {
        while (!socket.destroyed && socket.write(head(status).repeat(100)));
      }
      socket.on("drain", pour)
      pour()
    })
    expect(Result.isFailure(result) && result.failure.reason).toBe("econnreset")
    expect(connections).toBe(1)
  })

  it("reports the change to another protocol as a refusal", async () => {
    const { result } = await eventDeliveryTo((socket) => {
      socket.write(head("101 Switching Protocols", "Upgrade: other", "Connection: upgrade"))
    })
    expect(Result.isSuccess(result) && result.success).toMatchObject({ _tag: "Refused", status: 101 })
  })
})

describe("Retry-After", () => {
  const now = Date.UTC(2026, 10, 21, 12)

  it.each([
    [undefined, null],
    ["0", 0],
    ["120", 120],
    ["1000000000", 1e9],
    ["9".repeat(400), Number.POSITIVE_INFINITY],
    ["Sat, 21 Nov 2026 12:01:00 GMT", 60],
    ["Saturday, 21-Nov-26 12:01:00 GMT", 60],
    ["Sat Nov 21 12:01:00 2026", 60],
    ["Sat, 21 Nov 2026 11:00:00 GMT", 0],
    ["-5", null],
    ["5.5", null],
    ["1e9", null],
    ["soon", null],
    ["2026-11-21T12:01:00Z", null],
    ["", null]
  ])("reads the Retry-After header %j as %j seconds", (text, seconds) =>
    expect(retryAfterSeconds(text, now)).toBe(seconds)
  )
})
