/**
 * The interface as routes and as a web-standard fetch handler. This module does not need Node.
 */
import { routesOf } from "./routes.ts"

export { noUrlSpans } from "./requestSpan.ts"

export { fetchHandler } from "./fetchHandler.ts"
export type { FetchHandler, FetchHandlerOptions, MailSource, OpenableMail } from "./fetchHandler.ts"
export { endpointParts } from "./endpointParts.ts"
export type { EndpointPart } from "./endpointParts.ts"
export type { Authenticate, ProductPrincipal } from "./productPrincipal.ts"
export type { MailboxOption } from "../mailbox/mailboxOption.ts"
export type { MailServices } from "./routes.ts"

/**
 * The endpoints, the OpenAPI document at `/openapi.json` and its page at `/docs`. Serve them in a router of your own with the layer `noUrlSpans` if
 * the program has a tracer. Otherwise the spans of Effect contain URLs, and so the tokens of links and searched addresses.
 */
export const routes = routesOf({ basePath: "", docs: true })
