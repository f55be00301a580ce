/**
 * The interface as routes and as a web-standard fetch handler. This module does not need Node.
 */
import { routesAt } from "./routes.ts"

export { fetchHandler } from "./fetchHandler.ts"
export type { FetchHandler, FetchHandlerOptions, MailSource } from "./fetchHandler.ts"
export type { MailServices } from "./routes.ts"

/** The endpoints, the OpenAPI document at `/openapi.json` and its page at `/docs`. */
export const routes = routesAt("")
