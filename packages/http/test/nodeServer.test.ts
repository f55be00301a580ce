import { once } from "node:events"
import { syncBuiltinESMExports } from "node:module"
import type { AddressInfo, Socket } from "node:net"
import { connect, createServer } from "node:net"
import timers from "node:timers"
import { setImmediate as nextRound, setTimeout as wait } from "node:timers/promises"
import { Effect, Exit, Fiber, Scope } from "effect"
import type { HttpServerError } from "effect/http"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { ServerLimits } from "../src/node/limits.ts"
import { defaultServerLimits } from "../src/node/limits.ts"
import { makeNodeServer } from "../src/node/nodeServer.ts"
import { markAuthenticated } from "../src/server/authenticatedRequests.ts"

type App = Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>

let scope: Scope.Closeable
beforeEach(() => {
  scope = Scope.makeUnsafe()
})
afterEach(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const serving = (
  app: App,
  limits: Partial<ServerLimits> = {},
  port = 0
): Effect.Effect<string, HttpServerError.ServeError> =>
  Effect.gen(function* () {
    const { http } = yield* makeNodeServer({ host: "127.0.0.1", port }, { ...defaultServerLimits, ...limits })
    yield* http.serve(app)
    return HttpServer.formatAddress(http.address)
  }).pipe(Scope.provide(scope))

const done = Effect.succeed(HttpServerResponse.text("done"))

describe("makeNodeServer", () => {
  it("runs at most its limit of reads at once, and runs writes beside them", async () => {
    let running = 0
    let most = 0
    const app = Effect.gen(function* () {
      most = Math.max(most, ++running)
      yield* Effect.promise(() => wait(20))
      running--
      return HttpServerResponse.text("done")
    })
    const address = await Effect.runPromise(serving(app, { readsMax: 2 }))
    const ten = async (method: string) => {
      most = 0
      const texts = await Promise.all(Array.from({ length: 10 }, async () => (await fetch(address, { method })).text()))
      expect(texts).toEqual(Array.from({ length: 10 }, () => "done"))
      return most
    }
    expect(await ten("GET")).toBe(2)
    expect(await ten("POST")).toBeGreaterThan(2)
  })

  it("answers a read of one API key while the slow reads of another wait for each other", async () => {
    const slow = Promise.withResolvers<undefined>()
    const app = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
      Effect.as(
        headers["authorization"] === "Bearer slow" ? Effect.promise(() => slow.promise) : Effect.void,
        HttpServerResponse.text("done")
      )
    )
    const address = await Effect.runPromise(serving(app, { readsMax: 3, readsPerApiKeyMax: 2 }))
    const read = async (apiKey: string) =>
      (await fetch(address, { headers: { authorization: `Bearer ${apiKey}` } })).text()
    const waiting = Array.from({ length: 5 }, () => read("slow"))
    expect(await read("quick")).toBe("done")
    slow.resolve(undefined)
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 5 }, () => "done"))
  })

  it("answers a read of one project while the slow reads of another wait, whose API keys together have more than all reads", async () => {
    const slow = Promise.withResolvers<undefined>()
    const app = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers, source, url }) => {
      markAuthenticated(source, headers["authorization"] === "Bearer other" ? "prj_other" : "prj_slow")
      return Effect.as(
        url === "/slow" ? Effect.promise(() => slow.promise) : Effect.void,
        HttpServerResponse.text("done")
      )
    })
    const address = await Effect.runPromise(serving(app, { readsMax: 4, readsPerApiKeyMax: 2 }))
    const read = async (apiKey: string, path: string) =>
      (await fetch(`${address}${path}`, { headers: { authorization: `Bearer ${apiKey}` } })).text()
    const apiKeys = ["one", "two", "three"]
    for (const apiKey of apiKeys) expect(await read(apiKey, "/")).toBe("done")
    const waiting = apiKeys.flatMap((apiKey) => [read(apiKey, "/slow"), read(apiKey, "/slow")])
    for (let round = 0; round < 20; round++) await nextRound()
    expect(await read("other", "/")).toBe("done")
    slow.resolve(undefined)
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => "done"))
  })

  it("builds no further response for an API key that does not read, and continues to answer other keys", async () => {
    const large = "x".repeat(8 * 1024 * 1024)
    let made = 0
    const app = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => {
      if (headers["authorization"] === "Bearer other") return HttpServerResponse.text("done")
      made++
      return HttpServerResponse.text(large)
    })
    const { hostname, port } = new URL(
      await Effect.runPromise(serving(app, { readsPerApiKeyMax: 2, responseBytesMax: 32 * 1024 * 1024 }))
    )
    const answered: Array<Socket> = []
    const clients = Array.from({ length: 6 }, () => {
      const socket = connect(Number(port), hostname)
      socket.once("data", () => answered.push(socket.pause()))
      socket.write("GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer slow\r\n\r\n")
      return socket
    })
    await expect.poll(() => made).toBe(2)
    const other = await fetch(`http://${hostname}:${port}`, { headers: { authorization: "Bearer other" } })
    expect(await other.text()).toBe("done")
    expect(made).toBe(2)
    await expect.poll(() => answered.length).toBe(2)
    for (const socket of answered) socket.destroy()
    await expect.poll(() => made).toBeGreaterThan(2)
    for (const socket of clients) socket.destroy()
  })

  it("lets the reads of an API key wait after large responses, and forgets those whose client has left", async () => {
    let made = 0
    const app = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => {
      if (headers["authorization"] === "Bearer other") return HttpServerResponse.text("done")
      made++
      return HttpServerResponse.text("x".repeat(64 * 1024))
    })
    const { hostname, port } = new URL(await Effect.runPromise(serving(app, { readBytesPerSecond: 1024 })))
    const readAndLeave = () =>
      new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname)
        socket.once("data", () => socket.destroy())
        socket.once("close", () => resolve())
        socket.write("GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer large\r\n\r\n")
        leaving.push(socket)
      })
    const leaving: Array<Socket> = []
    await readAndLeave()
    expect(made).toBe(1)
    const waiting = Array.from({ length: 20 }, readAndLeave)
    const other = await fetch(`http://${hostname}:${port}`, { headers: { authorization: "Bearer other" } })
    expect(await other.text()).toBe("done")
    for (const socket of leaving) socket.destroy()
    await Promise.all(waiting)
    expect(made).toBe(1)
  })

  it("refuses a port on which another process listens", async () => {
    const other = createServer().listen(0, "127.0.0.1")
    await once(other, "listening")
    const { port } = other.address() as { port: number }
    expect(await Effect.runPromise(Effect.flip(serving(done, {}, port)))).toMatchObject({
      _tag: "ServeError",
      cause: { code: "EADDRINUSE" }
    })
    other.close()
  })

  it("refuses a port on which another server of Mailkeep listens", async () => {
    const { port } = new URL(await Effect.runPromise(serving(done)))
    expect(await Effect.runPromise(Effect.flip(serving(done, {}, Number(port))))).toMatchObject({
      cause: { code: "EADDRINUSE" }
    })
  })

  it("frees the port when it is interrupted while it begins to listen", async () => {
    const listening = async (port: number) => {
      const server = createServer().listen(port, "127.0.0.1")
      await once(server, "listening")
      const { port: bound } = server.address() as AddressInfo
      server.close()
      await once(server, "close")
      return bound
    }
    const port = await listening(0)
    const fiber = Effect.runFork(serving(done, {}, port))
    await Effect.runPromise(Fiber.interrupt(fiber))
    await Effect.runPromise(Scope.close(scope, Exit.void))
    // Until an attempt to listen that was given up would have ended.
    for (let round = 0; round < 100; round++) await nextRound()
    expect(await listening(port)).toBe(port)
  })

  it("starts no timer when another server listens on the port", async () => {
    const { port } = new URL(await Effect.runPromise(serving(done)))
    const started = vi.spyOn(timers, "setInterval")
    syncBuiltinESMExports()
    try {
      await Effect.runPromise(Effect.flip(serving(done, {}, Number(port))))
      expect(started).not.toHaveBeenCalled()
    } finally {
      started.mockRestore()
      syncBuiltinESMExports()
    }
  })

  it("accepts more than one connection in a round of the event loop", async () => {
    const { hostname, port } = new URL(await Effect.runPromise(serving(done)))
    const sockets = Array.from({ length: 200 }, () => connect(Number(port), hostname))
    let answers = 0
    for (const socket of sockets) {
      socket.on("data", () => answers++)
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    }
    let rounds = 0
    for (; answers < sockets.length; rounds++) {
      const end = performance.now() + 5
      while (performance.now() < end);
      await nextRound()
    }
    for (const socket of sockets) socket.destroy()
    expect(rounds).toBeLessThan(100)
  })
})
