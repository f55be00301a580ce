/**
 * All statements of the specification of the HTTP API, in its order.
 */
import { authentication, errors, limits } from "./refusals.ts"
import { contactEndpoints, domains } from "./contactEndpoints.ts"
import { send } from "./sendEndpoint.ts"
import { events, logListing } from "./eventsAndLogs.ts"
import { deliveryStatus, general, resources, subscriptionStatus } from "./resources.ts"
import type { Statement } from "./Statement.ts"

export const statements: ReadonlyArray<Statement> = [
  ...general,
  ...resources,
  ...deliveryStatus,
  ...subscriptionStatus,
  ...logListing,
  ...send,
  ...contactEndpoints,
  ...domains,
  ...authentication,
  ...events,
  ...errors,
  ...limits
]
