/**
 * Asks the product who sends a request, by its function `authenticate`. Source: decision 0052.
 */
import type { Permission, Principal } from "@mailkeep/core/binding"
import { isProjectId, parseDomain, permissions, bugReports } from "@mailkeep/core/binding"
import { Cause, Effect, Exit } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { isCrossSite } from "./crossSite.ts"
import { errorResponse } from "./failureResponse.ts"
import { bodyReadResponse, isBodyRead } from "./usedBody.ts"

/** What a session of the product may do. */
export interface ProductPrincipal {
  /** The project in which the session acts. */
  readonly project: string
  /** No permission includes another one. Without any, each endpoint is refused with 403. */
  readonly permissions: ReadonlyArray<Permission>
  /** The sender domains of the session, at least one. Absent: each verified domain of the project. */
  readonly domainScope?: ReadonlyArray<string> | undefined
}

/**
 * Returns who sends a request. `null` or `undefined`: the product does not know the sender, so the request needs an API key. A `Response` is
 * sent as it is. The function may read headers and cookies, but not the body.
 */
export type Authenticate = (
  request: Request
) => ProductPrincipal | Response | null | undefined | Promise<ProductPrincipal | Response | null | undefined>

/** How the requests of the product's own sessions are recognized. */
export interface ProductAuthentication {
  readonly authenticate: Authenticate
  /** Origins of other sites whose pages may act with a session, such as `https://app.acme.example`. */
  readonly trustedOrigins: ReadonlySet<string>
}

const isText = (value: unknown): value is string => typeof value === "string"

/** The principal of a session, or the name of the field that is wrong. A wrong field must not give more rights than intended. */
const principalOf = ({ project, permissions: granted, domainScope }: ProductPrincipal): Principal | string => {
  if (!isText(project) || !isProjectId(project)) return "project"
  if (!Array.isArray(granted) || !granted.every((one) => permissions.includes(one as Permission))) return "permissions"
  const own = { projectId: project, apiKeyId: null, permissions: granted as ReadonlyArray<Permission> }
  if (domainScope === undefined) return { ...own, domainScope: null, source: "api" }
  if (!Array.isArray(domainScope) || domainScope.length === 0) return "domainScope"
  const domains = domainScope.map((domain: unknown) => (isText(domain) ? parseDomain(domain) : undefined))
  return domains.every(isText) ? { ...own, domainScope: domains, source: "api" } : "domainScope"
}

/** The product's mistake. Neither the response nor the log has a text or a value of the product. */
const failed = (message: string, ...details: ReadonlyArray<unknown>) =>
  Effect.andThen(
    Effect.logError(message, ...details),
    errorResponse(500, { error: "internal_error", message: "Something went wrong here." })
  )

const crossSiteResponse = errorResponse(403, {
  error: "not_allowed",
  message: "A page of another site may not act with this session."
})

/** The principal of the product's session, the response to send instead, or `null` if the request needs an API key. */
export const productPrincipal = ({ authenticate, trustedOrigins }: ProductAuthentication) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const web = request.source as Request
    const exit = yield* Effect.exit(Effect.promise(async () => authenticate(web)))
    if (Exit.isFailure(exit))
      return Cause.hasInterrupts(exit.cause)
        ? yield* Effect.failCause(exit.cause)
        : yield* failed("The function authenticate failed.", ...bugReports(exit.cause))
    if (isBodyRead(request)) return yield* bodyReadResponse
    const answer = exit.value
    if (answer === null || answer === undefined) return null
    if (answer instanceof Response) return HttpServerResponse.fromWeb(answer)
    const principal = principalOf(answer)
    if (typeof principal === "string")
      return yield* failed("The function authenticate returned a wrong field.", { field: principal })
    return isCrossSite(web, trustedOrigins) ? yield* crossSiteResponse : principal
  })
