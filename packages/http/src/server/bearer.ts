/**
 * Checks a request: its API key (401), its rate limit (429), its permission (403), in this order. Source: decision 0009.
 */
import type { RateDecision } from "@mailkeep/core"
import { Access } from "@mailkeep/core"
import { Context, Effect, Layer, Redacted } from "effect"
import { Bearer, CurrentPrincipal, RateLimitedEndpoint, RequiredPermission } from "../api/Access.ts"
import { failureResponse } from "./failureResponse.ts"
import { RequestScope } from "./RequestScope.ts"

/** The `RateLimit` fields of draft-ietf-httpapi-ratelimit-headers. */
const rateLimitHeaders = ({ scope, limit, remaining, resetSeconds }: RateDecision): Record<string, string> => ({
  "ratelimit-policy": `"${scope}";q=${limit.requests};w=${Math.ceil(limit.windowMillis / 1000)}`,
  ratelimit: `"${scope}";r=${remaining};t=${resetSeconds}`
})

export const layer = Layer.effect(
  Bearer,
  Effect.gen(function* () {
    const access = yield* Access
    return {
      bearer: (httpEffect, { credential, endpoint }) =>
        Effect.gen(function* () {
          const principal = yield* access.authenticate(Redacted.value(credential))
          if (Context.getOption(endpoint.annotations, RateLimitedEndpoint)._tag === "Some") {
            const decision = yield* access.takeRateLimit(principal)
            if (decision !== null) Object.assign((yield* RequestScope).responseHeaders, rateLimitHeaders(decision))
            yield* access.failIfLimited(decision)
          }
          yield* access.authorize(principal, Context.getUnsafe(endpoint.annotations, RequiredPermission))
          return yield* Effect.provideService(httpEffect, CurrentPrincipal, principal)
        }).pipe(Effect.catch((failure) => failureResponse(failure as Parameters<typeof failureResponse>[0])))
    }
  })
)
