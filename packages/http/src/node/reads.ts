/**
 * Bounds the requests that read, because each may build a response of some megabytes. Source: decision 0032.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Exit, Scope, Semaphore } from "effect"
import type { HttpMiddleware } from "effect/http"
import { HttpServerRequest } from "effect/http"
import type { ServerResponse } from "node:http"
import type { ServerLimits } from "./limits.ts"

interface ReadsOfApiKey {
  readonly semaphore: Semaphore.Semaphore
  /** Requests that wait, that are being answered, or whose response is not yet written. */
  count: number
}

/** Calls `then` when the response is written or its connection is closed. */
const whenWritten = (response: ServerResponse, then: () => void): void => {
  if (response.closed || response.destroyed) then()
  else response.once("close", then)
}

/**
 * Bounds how many reads run at once. The reads of one API key first wait for each other, so that slow searches of one key delay no other
 * key. A read counts until its response is written, so that no further responses are built for a client that does not read.
 */
export const boundReads = ({
  readsMax,
  readsPerApiKeyMax
}: Pick<ServerLimits, "readsMax" | "readsPerApiKeyMax">): HttpMiddleware.HttpMiddleware => {
  const all = Semaphore.makeUnsafe(readsMax)
  const byApiKey = new Map<string, ReadsOfApiKey>()
  return (app) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      if (request.method !== "GET" && request.method !== "HEAD") return app
      const bounded = all.withPermits(1)(app)
      // The API key is not checked yet. A wrong key has its own entry in the map until its refusal is written.
      const apiKey = request.headers["authorization"]
      // Requests without an API key do not wait for each other's responses.
      if (apiKey === undefined) return bounded
      const reads = byApiKey.get(apiKey) ?? { semaphore: Semaphore.makeUnsafe(readsPerApiKeyMax), count: 0 }
      byApiKey.set(apiKey, reads)
      reads.count++
      const untilWritten = Scope.makeUnsafe()
      whenWritten(NodeHttpServerRequest.toServerResponse(request) as ServerResponse, () => {
        if (--reads.count === 0) byApiKey.delete(apiKey)
        Effect.runFork(Scope.close(untilWritten, Exit.void))
      })
      return Effect.andThen(Scope.provide(reads.semaphore.takeScoped(1), untilWritten), bounded)
    })
}
