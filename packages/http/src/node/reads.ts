/**
 * Bounds the requests that read: each may have an answer of some megabytes in the making. Source: decision 0032.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Exit, Scope, Semaphore } from "effect"
import type { HttpMiddleware } from "effect/http"
import { HttpServerRequest } from "effect/http"
import type { ServerResponse } from "node:http"
import type { ServerLimits } from "./limits.ts"

interface ReadsOfApiKey {
  readonly semaphore: Semaphore.Semaphore
  /** Requests that wait, are being answered or whose answer is not yet written. */
  count: number
}

/** Calls `then` once the answer is written or its connection is gone. */
const whenWritten = (response: ServerResponse, then: () => void): void => {
  if (response.closed || response.destroyed) then()
  else response.once("close", then)
}

/**
 * Lets only so many reads run at once. The reads of one API key wait for each other before they wait for others, so that its slow searches
 * delay no other key; and each counts until its answer is written, so that a client that does not read gets no further answers made.
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
      // Not checked yet: a wrong key has its own place in the map for as long as its refusal takes.
      const apiKey = request.headers["authorization"]
      // Strangers do not wait for each other's answers.
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
