/**
 * Bounds the requests that read, because each may build a response of some megabytes. Source: decision 0032.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Exit, Scope, Semaphore } from "effect"
import type { HttpMiddleware } from "effect/http"
import { HttpServerRequest } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { setTimeout } from "node:timers"
import type { ServerLimits } from "./limits.ts"
import { responseBodyBytes, uncountedResponseBytes } from "./responseBudget.ts"

interface ReadsOfApiKey {
  readonly semaphore: Semaphore.Semaphore
  /** Requests that wait, that are being answered, or whose response is not yet written. */
  count: number
  /** The time by `performance.now()` at which the allowed rate makes up for the bytes of the responses so far. */
  evenAt: number
}

/** An API key may read the bytes of so many seconds at once. */
const burstMillis = 2000

/** Waits until the API key has read no more than its burst. Checks again, because other reads of the key wait too. */
const untilWithinBurst = (reads: ReadsOfApiKey): Effect.Effect<void> =>
  Effect.suspend(() => {
    const waitMillis = reads.evenAt - performance.now() - burstMillis
    return waitMillis <= 0 ? Effect.void : Effect.andThen(Effect.sleep(waitMillis), untilWithinBurst(reads))
  })

/** Calls `then` when the response is written or its connection is closed. */
const whenWritten = (response: ServerResponse, then: () => void): void => {
  if (response.closed || response.destroyed) then()
  else response.once("close", then)
}

/** Gives each project at most so many reads at once, and forgets a project without reads. */
const makeProjectReads = (readsPerProjectMax: number) => {
  const projects = new Map<string, { readonly semaphore: Semaphore.Semaphore; count: number }>()
  return <A, E, R>(projectId: string, read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const reads = projects.get(projectId) ?? { semaphore: Semaphore.makeUnsafe(readsPerProjectMax), count: 0 }
        projects.set(projectId, reads)
        reads.count++
        return reads
      }),
      ({ semaphore }) => Effect.interruptible(semaphore.withPermits(1)(read)),
      (reads) =>
        Effect.sync(() => {
          if (--reads.count === 0) projects.delete(projectId)
        })
    )
}

/**
 * Bounds how many reads run at once. The reads of one API key first wait for each other, so that slow searches of one key delay no other
 * key. The reads of one project take at most half of the places, whatever the number of its API keys. A read counts until its response is written,
 * so that no further responses are built for a client that does not read. Large responses count against a rate, so that a client that disconnects
 * early and asks again gets no more of them.
 */
export const boundReads = (
  {
    readsMax,
    readsPerApiKeyMax,
    readBytesPerSecond
  }: Pick<ServerLimits, "readsMax" | "readsPerApiKeyMax" | "readBytesPerSecond">,
  projectOf: (request: IncomingMessage) => string | undefined
): HttpMiddleware.HttpMiddleware => {
  const all = Semaphore.makeUnsafe(readsMax)
  const ofProject = makeProjectReads(Math.ceil(readsMax / 2))
  const byApiKey = new Map<string, ReadsOfApiKey>()

  const countBytes = (reads: ReadsOfApiKey, bytes: number): void => {
    if (bytes <= uncountedResponseBytes) return
    reads.evenAt = Math.max(reads.evenAt, performance.now()) + (bytes / readBytesPerSecond) * 1000
  }
  /** Forgets an API key without requests, as soon as its rate allows. */
  const forget = (apiKey: string, reads: ReadsOfApiKey): void => {
    if (reads.count > 0) return
    const waitMillis = reads.evenAt - performance.now()
    if (waitMillis > 0) setTimeout(() => forget(apiKey, reads), waitMillis).unref()
    else if (byApiKey.get(apiKey) === reads) byApiKey.delete(apiKey)
  }
  return (app) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      if (request.method !== "GET" && request.method !== "HEAD") return app
      // Effect starts the handler of a request uninterruptible. Without this, a request would wait on after its client has left.
      const bounded = Effect.interruptible(all.withPermits(1)(app))
      // The API key is not checked yet. A wrong key has its own entry in the map until its refusal is written.
      const apiKey = request.headers["authorization"]
      // Requests without an API key do not wait for each other's responses.
      if (apiKey === undefined) return bounded
      const reads = byApiKey.get(apiKey) ?? { semaphore: Semaphore.makeUnsafe(readsPerApiKeyMax), count: 0, evenAt: 0 }
      byApiKey.set(apiKey, reads)
      reads.count++
      const untilWritten = Scope.makeUnsafe()
      // An API key is not known before its first response. Its first reads have no other bound than `all`.
      const projectId = projectOf(NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage)
      const turn = projectId === undefined ? bounded : ofProject(projectId, bounded)
      whenWritten(NodeHttpServerRequest.toServerResponse(request) as ServerResponse, () => {
        reads.count--
        forget(apiKey, reads)
        Effect.runFork(Scope.close(untilWritten, Exit.void))
      })
      return Scope.provide(reads.semaphore.takeScoped(1), untilWritten).pipe(
        Effect.andThen(untilWithinBurst(reads)),
        Effect.interruptible,
        Effect.andThen(turn),
        Effect.tap((response) => Effect.sync(() => countBytes(reads, responseBodyBytes(response))))
      )
    })
}
