/**
 * All statements of the interface, in the order of the interface.
 */
import { authentication, errors, limits } from "./refusals.ts"
import { contactEndpoints, domains, send } from "./requests.ts"
import { deliveryStatus, events, general, logListing, resources, subscriptionStatus } from "./resources.ts"
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
