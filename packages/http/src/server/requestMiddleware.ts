/**
 * Wraps every request: the mount path, the correlation id, unknown routes, wrong methods, and bugs. Source: decisions 0009 and 0033.
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { bugResponse, errorResponse } from "./failureResponse.ts"
import { makeStoreWarning, StoreWarning } from "./storeWarning.ts"
import { RequestScope, requestScope } from "./RequestScope.ts"
import { withRequestSpan } from "./requestSpan.ts"
import type { RouteTable } from "./routeTable.ts"
import { bodyReadResponse, isBodyRead } from "./usedBody.ts"

const noRoute = ({ allowedMethods }: RouteTable, url: string) => {
  const allow = allowedMethods(url)
  return allow.length === 0
    ? errorResponse(404, { error: "not_found", message: "There is nothing at this path." })
    : errorResponse(
        405,
        { error: "method_not_allowed", message: `This path takes ${allow.join(", ")}.` },
        { allow: allow.join(", ") }
      )
}

/** The request with its path below `basePath`; `null` for a path outside of it. */
const below = (basePath: string, request: HttpServerRequest.HttpServerRequest) => {
  if (basePath === "") return request
  const rest = request.url.slice(basePath.length)
  return request.url.startsWith(basePath) && /^(?:$|[/?])/.test(rest)
    ? request.modify({ url: rest.startsWith("/") ? rest : `/${rest}` })
    : null
}

/** The router takes a `;` for the start of the query. RFC 3986 (3.3) allows it in a path, so the router gets its encoded form. */
const withEncodedSemicolons = (request: HttpServerRequest.HttpServerRequest) => {
  const [path] = request.url.split("?", 1)
  return path?.includes(";")
    ? request.modify({ url: path.replaceAll(";", "%3B") + request.url.slice(path.length) })
    : request
}

export const layer = (basePath: string, table: RouteTable) =>
  HttpRouter.middleware(
    Effect.sync(() => {
      const warning = makeStoreWarning()
      return (httpEffect) =>
        Effect.gen(function* () {
          const outer = yield* HttpServerRequest.HttpServerRequest
          const request = below(basePath, withEncodedSemicolons(outer))
          const scope = requestScope(outer.headers["x-request-id"])
          const routed =
            request === null
              ? noRoute(table, "/")
              : isBodyRead(request)
                ? bodyReadResponse
                : Effect.provideService(httpEffect, HttpServerRequest.HttpServerRequest, request).pipe(
                    Effect.catchCause((cause) => {
                      const [first] = cause.reasons
                      if (first === undefined || first._tag === "Interrupt") return Effect.failCause(cause)
                      const error: unknown = first._tag === "Fail" ? first.error : first.defect
                      return HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"
                        ? noRoute(table, request.url)
                        : bugResponse(cause)
                    })
                  )
          const response = yield* withRequestSpan(request ?? outer, table, routed).pipe(
            Effect.annotateLogs({ correlationId: scope.correlationId }),
            Effect.provideService(RequestScope, scope),
            Effect.provideService(StoreWarning, warning)
          )
          return HttpServerResponse.setHeaders(response, {
            ...scope.responseHeaders,
            "x-content-type-options": "nosniff",
            "x-request-id": scope.correlationId,
            "x-correlation-id": scope.correlationId
          })
        })
    }),
    { global: true }
  )
