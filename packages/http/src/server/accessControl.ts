/**
 * Checks a request: its session or API key (401), its rate limit (429), its permission (403), in this order. Source: decisions 0009 and 0052.
 */
import type { MailRefusal, RateDecision, StoreUnavailable } from "@mailkeep/core"
import { Access } from "@mailkeep/core"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Bearer, CurrentPrincipal, RateLimitedEndpoint, RequiredPermission } from "../api/Access.ts"
import { markAuthenticated } from "./authenticatedRequests.ts"
import { failureResponse } from "./failureResponse.ts"
import type { ProductAuthentication } from "./productPrincipal.ts"
import { productPrincipal } from "./productPrincipal.ts"
import { RequestScope } from "./RequestScope.ts"

/** The `RateLimit` fields of draft-ietf-httpapi-ratelimit-headers. */
const rateLimitHeaders = ({ scope, limit, remaining, resetSeconds }: RateDecision): Record<string, string> => ({
  "ratelimit-policy": `"${scope}";q=${limit.requests};w=${Math.ceil(limit.windowMillis / 1000)}`,
  ratelimit: `"${scope}";r=${remaining};t=${resetSeconds}`
})

/** Adds the header fields of the rate limit to the response, and fails when the limit is used up. */
export const applyRateLimit = Effect.fnUntraced(function* (access: Access["Service"], decision: RateDecision | null) {
  if (decision !== null) Object.assign((yield* RequestScope).responseHeaders, rateLimitHeaders(decision))
  yield* access.failIfLimited(decision)
})

/**
 * With `authentication`, the product is asked first. A request that it does not know needs an API key. The type of an endpoint's own failures is not known
 * here. They are failures of the services too.
 */
export const layer = (authentication: ProductAuthentication | undefined) =>
  Layer.effect(
    Bearer,
    Effect.gen(function* () {
      const access = yield* Access
      return {
        bearer: (httpEffect, { credential, endpoint }) =>
          Effect.gen(function* () {
            const known = authentication === undefined ? null : yield* productPrincipal(authentication)
            if (HttpServerResponse.isHttpServerResponse(known)) return known
            const principal = known ?? (yield* access.authenticate(Redacted.value(credential)))
            markAuthenticated((yield* HttpServerRequest.HttpServerRequest).source, principal.projectId)
            if (Option.isSome(Context.getOption(endpoint.annotations, RateLimitedEndpoint)))
              yield* applyRateLimit(access, yield* access.takeRateLimit(principal))
            yield* access.authorize(principal, Context.getUnsafe(endpoint.annotations, RequiredPermission))
            return yield* Effect.provideService(httpEffect, CurrentPrincipal, principal)
          }).pipe(Effect.catch((failure) => failureResponse(failure as MailRefusal | StoreUnavailable)))
      }
    })
  )
