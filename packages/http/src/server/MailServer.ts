/**
 * The interface as routes, as a Node server and as a web-standard fetch handler.
 */
import type {
  Access,
  ContactLists,
  Contacts,
  DeliveryLog,
  Domains,
  Properties,
  Segments,
  Sending,
  Suppressions,
  Templates,
  Webhooks
} from "@mailkeep/core"
import { NodeHttpServer } from "@effect/platform-node"
import type { HttpServerError } from "effect/http"
import { Duration, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder, HttpApiScalar } from "effect/http-api"
import { createServer } from "node:http"
import { MailApi } from "../api/MailApi.ts"
import * as bearer from "./bearer.ts"
import { answerBrokenRequests } from "./brokenRequest.ts"
import * as edge from "./edge.ts"
import * as handlers from "./handlers.ts"
import { routerConfig } from "./routerConfig.ts"
import * as wellFormed from "./wellFormed.ts"

/** What the routes need of the core. */
export type MailServices =
  | Access
  | ContactLists
  | Contacts
  | DeliveryLog
  | Domains
  | Properties
  | Segments
  | Sending
  | Suppressions
  | Templates
  | Webhooks

/** The endpoints, the OpenAPI document at `/openapi.json` and its page at `/docs`. */
export const routes = Layer.mergeAll(
  HttpApiBuilder.layer(MailApi, { openapiPath: "/openapi.json" }).pipe(
    Layer.provide(handlers.layer),
    Layer.provide(Layer.mergeAll(bearer.layer, wellFormed.layer))
  ),
  HttpApiScalar.layer(MailApi, { path: "/docs" }),
  edge.layer
)

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

export interface FetchHandler {
  readonly handler: (request: Request) => Promise<Response>
  readonly dispose: () => Promise<void>
}

/** A web-standard handler over the core's services; `dispose` closes what the layer opened. */
export const fetchHandler = <E>(services: Layer.Layer<MailServices, E>): FetchHandler => {
  const { handler, dispose } = HttpRouter.toWebHandler(
    routes.pipe(Layer.provide(services), Layer.provideMerge(HttpServer.layerServices)),
    { disableLogger: true, routerConfig }
  )
  return { handler, dispose }
}

/** The address that a running server listens on. */
export const url: Effect.Effect<string, never, HttpServer.HttpServer> = Effect.map(
  HttpServer.HttpServer,
  ({ address }) => HttpServer.formatAddress(address)
)
