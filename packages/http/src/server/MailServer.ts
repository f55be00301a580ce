/**
 * The interface as routes and as a web-standard fetch handler. Nothing here needs Node.
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
import { Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder, HttpApiScalar } from "effect/http-api"
import { MailApi } from "../api/MailApi.ts"
import * as bearer from "./bearer.ts"
import * as compression from "./compression.ts"
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
  edge.layer,
  compression.layer
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
