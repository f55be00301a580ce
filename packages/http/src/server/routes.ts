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
import { MailApi } from "../api/MailApi.ts"
import * as bearer from "./bearer.ts"
import * as compression from "./compression.ts"
import { docs } from "./docs.ts"
import * as requestMiddleware from "./requestMiddleware.ts"
import * as handlers from "./handlers.ts"
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

const endpoints = HttpApiBuilder.layer(MailApi).pipe(
  Layer.provide(handlers.layer),
  Layer.provide(Layer.mergeAll(bearer.layer, schemaErrors.layer))
)

/** The endpoints and the page of the links to unsubscribe below `basePath`, without the OpenAPI document and its page. */
export const bareRoutesAt = (basePath: string) =>
  Layer.mergeAll(endpoints, unsubscribePage.layer, requestMiddleware.layer(basePath), compression.layer)

/** The endpoints, the OpenAPI document at `/openapi.json` and its page at `/docs`, all below `basePath`. */
export const routesAt = (basePath: string) => Layer.mergeAll(bareRoutesAt(basePath), docs(basePath))
