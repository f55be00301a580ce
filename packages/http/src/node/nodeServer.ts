/**
 * An HTTP server on Node that withstands slow and hostile clients. Source: decision 0032.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Scope } from "effect"
import type { HttpServerError } from "effect/http"
import { HttpEffect, HttpServer, HttpServerResponse } from "effect/http"
import { NetAddress } from "effect/net"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { createServer } from "node:http"
import { clearInterval, setInterval } from "node:timers"
import type { ResponseBudget } from "./responseBudget.ts"
import { responseBodyBytes, encodeLargeBody, makeResponseBudget } from "./responseBudget.ts"
import { hasConstantBody } from "../server/constantBody.ts"
import { answerMalformedHttp } from "./malformedHttp.ts"
import type { Connections } from "./connections.ts"
import { makeConnections } from "./connections.ts"
import { continueOnRead, isBodyWithheld } from "./continueOnRead.ts"
import type { ServerLimits } from "./limits.ts"
import { makeFairStarts } from "./fairStarts.ts"
import { listen } from "./listeners.ts"
import { boundReads } from "./reads.ts"
import { refusalResponse, refuseRequest } from "./refusal.ts"
import type { RequestLanes } from "./requestLanes.ts"
import { makeRequestLanes } from "./requestLanes.ts"
import { headRefusal, unknownExpectation } from "./requestHead.ts"
import { shutDown } from "./shutdown.ts"
import { BoundedRequest } from "./smallChunks.ts"

type Handle = (request: IncomingMessage, response: ServerResponse) => void

interface Listener {
  readonly server: Server
  readonly connections: Connections
  readonly responses: ResponseBudget
  /** The budget of pages that never change. Anyone may ask for them, so they must take nothing from the other responses. */
  readonly constantResponses: ResponseBudget
  readonly lanes: RequestLanes
  /** The handler of requests; `undefined` before the routes are ready and after they are closed. */
  handle: Handle | undefined
}

/** How often Node and the server check for requests and responses that take too long. */
const checkMillis = ({ headMillis, responseMillis }: ServerLimits) =>
  Math.max(10, Math.min(1000, Math.ceil(headMillis / 4), Math.ceil(responseMillis / 4)))

const makeListener = (limits: ServerLimits): Listener => {
  const server = createServer({
    IncomingMessage: BoundedRequest,
    keepAliveTimeout: limits.keepAliveMillis,
    headersTimeout: limits.headMillis,
    // Bounds a body that no handler reads. A body that is read has `bodyMillis`, counted from the first read.
    requestTimeout: limits.headMillis + limits.bodyMillis + limits.responseMillis,
    connectionsCheckingInterval: checkMillis(limits),
    // `headRefusal` checks `Host` instead, and answers in the format of the interface.
    requireHostHeader: false
  })
  const connections = makeConnections(limits)
  const responses = makeResponseBudget(limits)
  const constantResponses = makeResponseBudget(limits)
  const starts = makeFairStarts()
  const lanes = makeRequestLanes()
  const listener: Listener = { server, connections, responses, constantResponses, lanes, handle: undefined }

  const enter = (request: IncomingMessage, response: ServerResponse, handle: () => void) => {
    if (!connections.accepts(request)) return
    response.once("close", () => {
      lanes.answered(request)
      responses.end(request.socket)
      constantResponses.end(request.socket)
    })
    const start = () => {
      if (!request.socket.destroyed) handle()
    }
    connections.enter({ request, response, run: () => starts.enter(lanes.laneOf(request), start) })
  }
  const respond = (request: IncomingMessage, response: ServerResponse) =>
    enter(request, response, () => {
      const refusal = headRefusal(request)
      if (refusal !== undefined) refuseRequest(response, refusal)
      else if (listener.handle === undefined) request.socket.destroy()
      else listener.handle(request, response)
    })

  server.on("connection", connections.add)
  server.on("request", respond)
  server.on("checkContinue", (request, response) => {
    continueOnRead(request, response)
    respond(request, response)
  })
  server.on("checkExpectation", (request, response) =>
    enter(request, response, () => refuseRequest(response, headRefusal(request) ?? unknownExpectation))
  )
  answerMalformedHttp(server, connections)
  return listener
}

const budgetExceeded = (response: HttpServerResponse.HttpServerResponse) => {
  const refusal = { status: 503, error: "unavailable", message: "Too many answers wait to be read." }
  const { headers, body } = refusalResponse(refusal, response.headers["x-request-id"])
  return HttpServerResponse.text(body, { status: refusal.status, headers })
}

/** Counts a response before it is compressed and written. Sends 503 instead if the response exceeds the budget. */
const admitResponse =
  ({ responses, constantResponses, connections }: Listener): HttpEffect.PreResponseHandler =>
  (request, response) =>
    Effect.sync(() => {
      const incoming = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
      const { socket } = incoming
      const bytes = request.method === "HEAD" ? 0 : responseBodyBytes(response)
      const isAdmitted = (hasConstantBody(response) ? constantResponses : responses).begin(socket, bytes)
      const admitted = isAdmitted ? encodeLargeBody(response) : budgetExceeded(response)
      if (!isAdmitted) responses.begin(socket, responseBodyBytes(admitted))
      return connections.isLast(socket) || isBodyWithheld(incoming)
        ? HttpServerResponse.setHeader(admitted, "connection", "close")
        : admitted
    })

export interface NodeServer {
  readonly http: HttpServer.HttpServer["Service"]
  readonly connections: () => number
  /** Bytes of large responses that are not yet written. */
  readonly responseBytes: () => number
}

/** Listens until the scope closes, and then answers the accepted requests. Fails with `ServeError` if it cannot listen. */
export const makeNodeServer = (
  address: { readonly host: string; readonly port: number },
  limits: ServerLimits
): Effect.Effect<NodeServer, HttpServerError.ServeError, Scope.Scope> =>
  Effect.gen(function* () {
    const listener = makeListener(limits)
    const { server, connections, responses, constantResponses } = listener
    const { listeners, stop } = yield* Effect.acquireRelease(
      Effect.gen(function* () {
        const listeners = yield* listen(server, address)
        const shutdown = Effect.promise(() => shutDown({ server, listeners, connections }, limits.graceMillis))
        return { listeners, stop: yield* Effect.cached(shutdown) }
      }),
      ({ stop }) => stop
    )
    const closeSlow = () => {
      responses.closeSlow()
      constantResponses.closeSlow()
    }
    const checks = setInterval(closeSlow, checkMillis(limits)).unref()
    server.once("close", () => clearInterval(checks))
    const http = HttpServer.make({
      address: NetAddress.inetAddressFromIpStringUnsafe(listeners.address.address, listeners.address.port),
      serve: Effect.fnUntraced(function* (app, middleware) {
        const requests = yield* Scope.fork(yield* Effect.scope, "parallel")
        const bounded = boundReads(limits, listener.lanes.projectOf)(app)
        const admitted = HttpEffect.withPreResponseHandler(bounded, admitResponse(listener))
        listener.handle = yield* NodeHttpServer.makeHandler(admitted, { scope: requests, middleware })
        // Runs before the remaining requests are interrupted.
        yield* Effect.addFinalizer(() =>
          Effect.andThen(
            stop,
            Effect.sync(() => (listener.handle = undefined))
          )
        )
      })
    })
    const responseBytes = () => responses.bytes() + constantResponses.bytes()
    return { http, connections: connections.size, responseBytes }
  })
