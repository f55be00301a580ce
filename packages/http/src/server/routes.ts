/**
 * The whole interface as routes of a router.
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
  UnsubscribeLinks,
  Webhooks
} from "@mailkeep/core"
import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as accessControl from "./accessControl.ts"
import * as compression from "./compression.ts"
import { docs } from "./docs.ts"
import type { EndpointPart } from "./endpointParts.ts"
import { apiOf } from "./endpointParts.ts"
import * as mailbox from "../mailbox/mailbox.ts"
import * as handlers from "./handlers.ts"
import type { ProductAuthentication } from "./productPrincipal.ts"
import * as requestMiddleware from "./requestMiddleware.ts"
import { routeTableOf } from "./routeTable.ts"
import * as schemaErrors from "./schemaErrors.ts"
import * as unsubscribePage from "./unsubscribePage.ts"

/** The services of the core that the routes need. */
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
  | UnsubscribeLinks
  | Webhooks

/** Which routes there are, and below which path. */
export interface RouteOptions {
  /** The path below which the routes are mounted; empty for the root. */
  readonly basePath: string
  /** The parts to mount; absent: all. */
  readonly endpoints?: ReadonlyArray<EndpointPart> | undefined
  /** Recognizes the product's own sessions; absent: every request needs an API key. */
  readonly authentication?: ProductAuthentication | undefined
  /** Whether there are the OpenAPI document at `/openapi.json` and its page at `/docs`. */
  readonly docs: boolean
  /** Whether there is the development mailbox at `/mailbox`; default `false`. */
  readonly mailbox?: boolean | undefined
}

/** The endpoints, the page of the links to unsubscribe and, if wanted, the OpenAPI document, its page and the development mailbox. */
export const routesOf = ({
  basePath,
  endpoints,
  authentication,
  docs: withDocs,
  mailbox: withMailbox = false
}: RouteOptions) => {
  const api = apiOf(endpoints)
  return Layer.mergeAll(
    HttpApiBuilder.layer(api).pipe(
      Layer.provide(handlers.layer),
      Layer.provide(Layer.mergeAll(accessControl.layer(authentication), schemaErrors.layer))
    ),
    unsubscribePage.layer,
    requestMiddleware.layer(basePath, routeTableOf(api, { docs: withDocs, mailbox: withMailbox })),
    compression.layer,
    withDocs ? docs(basePath, api) : Layer.empty,
    withMailbox ? mailbox.layer(basePath) : Layer.empty
  )
}
