/**
 * The server for operators: `GET /health` and `GET /metrics`, on a port of their own. Source: decision 0046.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type { HealthReport } from "@mailkeep/core"
import { Health } from "@mailkeep/core"
import { formatInstant, secondMillis } from "@mailkeep/core/binding"
import { assertOptions, optionsOf } from "@mailkeep/core/options"
import { Context, Effect, Layer } from "effect"
import type { HttpServerError } from "effect/http"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createServer } from "node:http"
import { metricsText } from "../server/metricsText.ts"
import { noUrlSpans } from "../server/requestSpan.ts"
import { addressRules } from "./serverOptionsRule.ts"
import { BoundedRequest } from "./smallChunks.ts"

/** Where the operations server listens. */
export interface OperationsOptions {
  /**
   * The address to listen on; default `127.0.0.1`. The server asks for no API key, so another address needs a firewall. A report contains numbers
   * and no data of a customer.
   */
  readonly host?: string
  /** The port to listen on. 0 picks a free port. */
  readonly port: number
}

/** More connections than a scraper, a supervisor and a few people need. */
const connectionsMax = 64
/** A client that sends or reads nothing for this time is disconnected. */
const silenceMillis = 10_000
/** Longer than the pause between two scrapes. */
const keepAliveMillis = 65_000
/** An answer of this age is sent again, so that many requests cause few reads of the store. */
const cachedFor = "1 second"

const makeServer = () => {
  const server = createServer({
    IncomingMessage: BoundedRequest,
    headersTimeout: silenceMillis,
    requestTimeout: silenceMillis,
    keepAliveTimeout: keepAliveMillis,
    connectionsCheckingInterval: 1000,
    maxHeaderSize: 8192
  })
  server.maxConnections = connectionsMax
  server.timeout = silenceMillis
  return server
}

const orNull = <A>(value: A | null, to: (value: A) => unknown): unknown => (value === null ? null : to(value))

const healthBody = (report: HealthReport) => ({
  status: report.status,
  reasons: report.reasons,
  dispatcher_running: report.dispatcherRunning,
  store: report.store,
  store_fault: report.storeFault,
  scheduled: report.scheduled,
  queued: report.queued,
  sending: report.sending,
  oldest_due_age_seconds: orNull(report.oldestDueAgeMillis, (millis) => millis / secondMillis),
  stuck: report.stuck,
  event_deliveries_pending: report.eventDeliveriesPending,
  in_flight: report.inFlight,
  circuit: report.circuit,
  paused_until: orNull(report.pausedUntil, formatInstant),
  last_fault: orNull(report.lastFault, ({ at, kind, wrongSetting, smtpCode, enhancedCode }) => ({
    at: formatInstant(at),
    kind,
    wrong_setting: wrongSetting,
    smtp_code: smtpCode,
    enhanced_code: enhancedCode
  }))
})

const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

const healthResponse = (report: HealthReport) =>
  HttpServerResponse.jsonUnsafe(healthBody(report), { status: report.status === "failing" ? 503 : 200, headers })

const metricsResponse = (text: string) =>
  HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8", headers })

const plain = (status: number, text: string, more: Record<string, string> = {}) =>
  HttpServerResponse.text(`${text}\n`, { status, headers: { ...headers, ...more } })

/** Answers a request by its path. A query is ignored, because some scrapers add one. */
const makeApp = Effect.gen(function* () {
  const health = yield* Health
  const answers: Readonly<Record<string, Effect.Effect<HttpServerResponse.HttpServerResponse>>> = {
    "/health": yield* Effect.cachedWithTTL(Effect.map(health.check, healthResponse), cachedFor),
    "/metrics": yield* Effect.cachedWithTTL(
      Effect.map(Effect.provideService(metricsText, Health, health), metricsResponse),
      cachedFor
    )
  }
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }) => {
    const path = url.split("?", 1)[0]!
    if (!Object.hasOwn(answers, path)) return Effect.succeed(plain(404, "There are /health and /metrics."))
    return method === "GET" || method === "HEAD"
      ? answers[path]!
      : Effect.succeed(plain(405, "This path takes GET and HEAD.", { allow: "GET, HEAD" }))
  })
})

/**
 * The running operations server.
 *
 * @example
 * ```ts
 * import { MailCore, PlanSource } from "@mailkeep/core"
 * import * as NodeCrypto from "@mailkeep/core/node"
 * import { layerOperations, OperationsServer } from "@mailkeep/http/node"
 * import { MemoryMailStore } from "@mailkeep/memory"
 * import { StubTransport } from "@mailkeep/smtp"
 * import { Effect, Layer } from "effect"
 *
 * const adapters = Layer.mergeAll(MemoryMailStore.layer, StubTransport.layer(), PlanSource.layerFixed({}), NodeCrypto.layer)
 * const server = layerOperations({ port: 0 }).pipe(Layer.provide(MailCore.layer), Layer.provide(adapters))
 * const program = Effect.gen(function* () {
 *   const { url } = yield* OperationsServer
 *   const response = yield* Effect.promise(() => fetch(`${url}/health`))
 *   console.log(response.status) // 200
 *   yield* Effect.promise(() => response.text())
 * })
 * await Effect.runPromise(Effect.provide(program, server))
 * ```
 */
export class OperationsServer extends Context.Service<
  OperationsServer,
  {
    /** The address that the server listens on, such as `http://127.0.0.1:9464`. */
    readonly url: string
  }
>()("@mailkeep/http/node/OperationsServer") {}

const rule = optionsOf<OperationsOptions>(addressRules, { owner: "the operations server", required: ["port"] })

/**
 * Serves `GET /health` and `GET /metrics` until the scope closes. `/health` answers 200, or 503 when the status is `failing`. A separate port,
 * because a reverse proxy on the same machine makes every caller of the public port look local. Fails with `ServeError` if it cannot listen.
 * Throws a `TypeError` for an unknown option and for one of another form.
 */
export const layerOperations = (
  options: OperationsOptions
): Layer.Layer<OperationsServer, HttpServerError.ServeError, Health> => {
  assertOptions(rule, options)
  const { host = "127.0.0.1", port } = options
  return Layer.effect(
    OperationsServer,
    Effect.gen(function* () {
      const node = makeServer()
      const server = yield* NodeHttpServer.make(() => node, { host, port })
      yield* server.serve(yield* makeApp)
      // Runs first: no request is worth a wait at a shutdown.
      yield* Effect.addFinalizer(() => Effect.sync(() => node.closeAllConnections()))
      return { url: HttpServer.formatAddress(server.address) }
    })
  ).pipe(Layer.provide(noUrlSpans))
}
