/**
 * An HTTP server on Node that holds out against slow and hostile clients. Source: decision 0032.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Scope, Semaphore } from "effect"
import type { HttpMiddleware } from "effect/http"
import { HttpEffect, HttpServer, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { NetAddress } from "effect/net"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { clearInterval, setInterval } from "node:timers"
import { requestScope } from "../server/RequestScope.ts"
import type { AnswerBudget } from "./answerBudget.ts"
import { makeAnswerBudget } from "./answerBudget.ts"
import { answerBrokenRequests } from "./brokenRequest.ts"
import type { Connections } from "./connections.ts"
import { makeConnections } from "./connections.ts"
import type { ServerLimits } from "./limits.ts"
import { refuseRequest } from "./refusal.ts"
import { headRefusal, unknownExpectation } from "./requestHead.ts"
import { shutDown } from "./shutdown.ts"

type Handle = (request: IncomingMessage, response: ServerResponse) => void

interface Listener {
  readonly server: Server
  readonly connections: Connections
  readonly answers: AnswerBudget
  /** Who answers the requests; `undefined` before the routes are there and after they are gone. */
  handle: Handle | undefined
}

/** How often Node and the server look for requests and answers that take too long. */
const checkMillis = ({ headMillis, answerMillis }: ServerLimits) =>
  Math.max(10, Math.min(1000, Math.ceil(headMillis / 4), Math.ceil(answerMillis / 4)))

/** Responses to requests whose body the client has not been asked for: whether one follows is open. */
const uncontinued = new WeakSet<ServerResponse>()

/** Asks for the body when it is first read, so that the client of a refused request need not send it. */
const continueOnRead = (request: IncomingMessage, response: ServerResponse) => {
  uncontinued.add(response)
  const onListener = (event: string) => {
    if (event !== "readable" && event !== "data") return
    request.off("newListener", onListener)
    if (response.headersSent) return
    uncontinued.delete(response)
    response.writeContinue()
  }
  request.on("newListener", onListener)
}

const makeListener = (limits: ServerLimits): Listener => {
  const interval = checkMillis(limits)
  const server = createServer({
    keepAliveTimeout: limits.keepAliveMillis,
    headersTimeout: limits.headMillis,
    // The bound of a body that no handler reads; one that is read has `bodyMillis`, from when it is read.
    requestTimeout: limits.headMillis + limits.bodyMillis + limits.answerMillis,
    connectionsCheckingInterval: interval,
    // `headRefusal` answers in the form of the interface.
    requireHostHeader: false
  })
  server.maxConnections = limits.connectionsMax
  const connections = makeConnections(limits)
  const answers = makeAnswerBudget(limits)
  const listener: Listener = { server, connections, answers, handle: undefined }

  const enter = (request: IncomingMessage, response: ServerResponse, run: () => void) => {
    response.once("close", () => answers.end(request.socket))
    connections.enter({ request, response, run })
  }
  const respond = (request: IncomingMessage, response: ServerResponse) =>
    enter(request, response, () => {
      const refusal = headRefusal(request)
      if (refusal !== undefined) refuseRequest(response, refusal)
      else if (listener.handle === undefined) request.socket.destroy()
      else listener.handle(request, response)
    })

  server.on("connection", connections.add)
  server.on("drop", connections.closeResting)
  server.on("request", respond)
  server.on("checkContinue", (request, response) => {
    continueOnRead(request, response)
    respond(request, response)
  })
  server.on("checkExpectation", (request, response) =>
    enter(request, response, () => refuseRequest(response, headRefusal(request) ?? unknownExpectation))
  )
  const sweeping = setInterval(answers.sweep, interval).unref()
  server.once("close", () => clearInterval(sweeping))
  answerBrokenRequests(server, connections)
  return listener
}

/** Connections that the kernel keeps until they are accepted. One above it tries again only after a second. */
const backlogMax = 4096

const listen = ({ server }: Listener, options: { readonly host: string; readonly port: number }) =>
  Effect.callback<AddressInfo, HttpServerError.ServeError>((resume) => {
    const onError = (cause: Error) => resume(Effect.fail(new HttpServerError.ServeError({ cause })))
    server.once("error", onError)
    server.listen({ ...options, backlog: backlogMax }, () => {
      server.off("error", onError)
      // A connection that cannot be accepted, as when file descriptors run out, must not end the process.
      server.on("error", () => {})
      resume(Effect.succeed(server.address() as AddressInfo))
    })
  })

/** Seconds after which a client may come back for an answer that found no room. */
const retrySeconds = 1

const noRoom = (response: HttpServerResponse.HttpServerResponse) => {
  const correlationId = response.headers["x-request-id"] ?? requestScope(undefined).correlationId
  return HttpServerResponse.jsonUnsafe(
    { error: "unavailable", message: "Too many answers wait to be read.", correlationId },
    {
      status: 503,
      headers: {
        "retry-after": String(retrySeconds),
        "x-request-id": correlationId,
        "x-correlation-id": correlationId
      }
    }
  )
}

const bodyBytes = ({ body }: HttpServerResponse.HttpServerResponse) =>
  body._tag === "Empty" ? 0 : (body.contentLength ?? 0)

/** Counts an answer before it is compressed and written; 503 takes its place if there is no room for it. */
const admitAnswer =
  ({ answers, connections }: Listener): HttpEffect.PreResponseHandler =>
  (request, response) =>
    Effect.sync(() => {
      const { socket } = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
      const nodeResponse = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
      const bytes = request.method === "HEAD" ? 0 : bodyBytes(response)
      const admitted = answers.begin(socket, bytes) ? response : noRoom(response)
      if (admitted !== response) answers.begin(socket, bodyBytes(admitted))
      return connections.isLast(socket) || uncontinued.has(nodeResponse)
        ? HttpServerResponse.setHeader(admitted, "connection", "close")
        : admitted
    })

/**
 * Lets only so many reads run at once: each may have an answer of some megabytes in the making, which no budget counts yet. The reads of
 * one API key wait for each other before they wait for others, so that its slow searches delay no other key.
 */
const boundReads = ({ readsMax, readsPerApiKeyMax }: ServerLimits): HttpMiddleware.HttpMiddleware => {
  const all = Semaphore.makeUnsafe(readsMax)
  const byApiKey = new Map<string, { readonly semaphore: Semaphore.Semaphore; reads: number }>()
  return (app) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, headers }) => {
      if (method !== "GET" && method !== "HEAD") return app
      // Not checked yet: a wrong key has its own place in the map for as long as its refusal takes.
      const apiKey = headers["authorization"] ?? ""
      const own = byApiKey.get(apiKey) ?? { semaphore: Semaphore.makeUnsafe(readsPerApiKeyMax), reads: 0 }
      byApiKey.set(apiKey, own)
      own.reads++
      const leave = Effect.sync(() => {
        if (--own.reads === 0) byApiKey.delete(apiKey)
      })
      return Effect.ensuring(own.semaphore.withPermits(1)(all.withPermits(1)(app)), leave)
    })
}

export interface NodeServer {
  readonly http: HttpServer.HttpServer["Service"]
  readonly connections: () => number
  /** Bytes of large answers that are not yet written. */
  readonly answerBytes: () => number
}

/** Listens until the scope closes; then answers what was accepted. Fails with `ServeError` if it cannot listen. */
export const makeNodeServer = (
  address: { readonly host: string; readonly port: number },
  limits: ServerLimits
): Effect.Effect<NodeServer, HttpServerError.ServeError, Scope.Scope> =>
  Effect.gen(function* () {
    const listener = makeListener(limits)
    const { server, connections, answers } = listener
    const bound = yield* listen(listener, address)
    const stop = yield* Effect.cached(Effect.promise(() => shutDown(server, connections, limits.graceMillis)))
    yield* Effect.addFinalizer(() => stop)
    const http = HttpServer.make({
      address: NetAddress.inetAddressFromIpStringUnsafe(bound.address, bound.port),
      serve: Effect.fnUntraced(function* (app, middleware) {
        const requests = yield* Scope.fork(yield* Effect.scope, "parallel")
        const bounded = boundReads(limits)(app)
        const admitted = HttpEffect.withPreResponseHandler(bounded, admitAnswer(listener))
        listener.handle = yield* NodeHttpServer.makeHandler(admitted, { scope: requests, middleware })
        // Runs before the requests that are left are interrupted.
        yield* Effect.addFinalizer(() =>
          Effect.andThen(
            stop,
            Effect.sync(() => (listener.handle = undefined))
          )
        )
      })
    })
    return { http, connections: connections.size, answerBytes: answers.bytes }
  })
