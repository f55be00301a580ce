/**
 * The interface as routes, as a Node server and as a web-standard fetch handler.
 */
import { NodeHttpServer } from "@effect/platform-node"
import type { HttpServerError } from "effect/http"
import { Duration, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { createServer } from "node:http"
import { answerBrokenRequests } from "./brokenRequest.ts"
import type { MailServices } from "./routes.ts"
import { routesAt } from "./routes.ts"
import { routerConfig } from "./routerConfig.ts"

export { fetchHandler } from "./fetchHandler.ts"
export type { FetchHandler, FetchHandlerOptions, MailSource } from "./fetchHandler.ts"
export type { MailServices } from "./routes.ts"

/** The endpoints, the OpenAPI document at `/openapi.json` and its page at `/docs`. */
export const routes = routesAt("")

export interface ServerOptions {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /** How long requests under way are waited for when the scope closes; 10 s unless told otherwise. */
  readonly graceMillis?: number
}

/** The routes on whatever HTTP server is given. */
const layer = HttpRouter.serve(routes, {
  disableLogger: true,
  disableListenLog: true,
  routerConfig
})

/** A Node server; requests under way are finished when the scope closes. */
export const layerNode = ({
  host,
  port,
  graceMillis = 10_000
}: ServerOptions): Layer.Layer<HttpServer.HttpServer, HttpServerError.ServeError, MailServices> =>
  layer.pipe(
    Layer.provideMerge(
      NodeHttpServer.layer(() => answerBrokenRequests(createServer()), {
        host,
        port,
        gracefulShutdownTimeout: Duration.millis(graceMillis)
      })
    )
  )

/** The address that a running server listens on. */
export const url: Effect.Effect<string, never, HttpServer.HttpServer> = Effect.map(
  HttpServer.HttpServer,
  ({ address }) => HttpServer.formatAddress(address)
)
