/**
 * The requirements of an endpoint: an API key, a permission, and whether the request counts against the rate limit.
 */
import type { Permission, Principal } from "@mailkeep/core/binding"
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { withRateLimitHeaders } from "./documentDetails.ts"
import { everywhere, InvalidArgumentBody } from "./Failures.ts"

/** The permission that the API key must have. */
export class RequiredPermission extends Context.Service<RequiredPermission, Permission>()(
  "@mailkeep/http/api/RequiredPermission"
) {}

/** Marks the endpoints whose requests count against the rate limit. */
export class RateLimitedEndpoint extends Context.Service<RateLimitedEndpoint, true>()(
  "@mailkeep/http/api/RateLimitedEndpoint"
) {}

/** The annotations of such an endpoint: the mark, and the header fields in the OpenAPI document. */
export const rateLimited = Context.merge(
  Context.make(RateLimitedEndpoint, true),
  OpenApi.annotations({ transform: withRateLimitHeaders })
)

/** The principal that sent the request. */
export class CurrentPrincipal extends Context.Service<CurrentPrincipal, Principal>()(
  "@mailkeep/http/api/CurrentPrincipal"
) {}

/** Answers requests that do not match the schemas of their endpoint. */
export class WellFormed extends HttpApiMiddleware.Service<WellFormed>()("@mailkeep/http/api/WellFormed", {
  error: [InvalidArgumentBody]
}) {}

export class Bearer extends HttpApiMiddleware.Service<Bearer, { provides: CurrentPrincipal }>()(
  "@mailkeep/http/api/Bearer",
  { security: { bearer: HttpApiSecurity.bearer }, error: everywhere, requiredForClient: true }
) {}
