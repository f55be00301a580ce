import { setTimeout as wait } from "node:timers/promises"
import { Effect, Exit, Scope } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { describe, expect, it } from "vitest"
import { defaultServerLimits } from "../src/node/limits.ts"
import { makeNodeServer } from "../src/node/nodeServer.ts"

describe("makeNodeServer", () => {
  it("runs no more reads at once than its bound, and writes beside them", async () => {
    const scope = await Effect.runPromise(Scope.make())
    const limits = { ...defaultServerLimits, readsMax: 2 }
    let running = 0
    let most = 0
    const app = Effect.gen(function* () {
      most = Math.max(most, ++running)
      yield* Effect.promise(() => wait(20))
      running--
      return HttpServerResponse.text("done")
    })
    const address = await Effect.runPromise(
      Effect.gen(function* () {
        const { http } = yield* makeNodeServer({ host: "127.0.0.1", port: 0 }, limits)
        yield* http.serve(app)
        return HttpServer.formatAddress(http.address)
      }).pipe(Scope.provide(scope))
    )
    const ten = async (method: string) => {
      most = 0
      const texts = await Promise.all(Array.from({ length: 10 }, async () => (await fetch(address, { method })).text()))
      expect(texts).toEqual(Array.from({ length: 10 }, () => "done"))
      return most
    }
    expect(await ten("GET")).toBe(2)
    expect(await ten("POST")).toBeGreaterThan(2)
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it("answers a read of one API key while the slow reads of another wait for each other", async () => {
    const scope = await Effect.runPromise(Scope.make())
    const limits = { ...defaultServerLimits, readsMax: 3, readsPerApiKeyMax: 2 }
    const slow = Promise.withResolvers<undefined>()
    const app = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
      Effect.as(
        headers["authorization"] === "Bearer slow" ? Effect.promise(() => slow.promise) : Effect.void,
        HttpServerResponse.text("done")
      )
    )
    const address = await Effect.runPromise(
      Effect.gen(function* () {
        const { http } = yield* makeNodeServer({ host: "127.0.0.1", port: 0 }, limits)
        yield* http.serve(app)
        return HttpServer.formatAddress(http.address)
      }).pipe(Scope.provide(scope))
    )
    const read = async (apiKey: string) =>
      (await fetch(address, { headers: { authorization: `Bearer ${apiKey}` } })).text()
    const waiting = Array.from({ length: 5 }, () => read("slow"))
    expect(await read("quick")).toBe("done")
    slow.resolve(undefined)
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 5 }, () => "done"))
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })
})
