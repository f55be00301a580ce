/**
 * What surrounds every request: the correlation id, unknown routes and wrong methods, and bugs. Source: decision 0009.
 */
import { Effect } from "effect"
import { FindMyWay, HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi } from "effect/http-api"
import { MailApi } from "../api/MailApi.ts"
import { bugResponse, errorResponse } from "./failureResponse.ts"
import { RequestScope, requestScope } from "./RequestScope.ts"
import { routerConfig } from "./routerConfig.ts"

const routes = FindMyWay.make<true>(routerConfig)
const methods = new Set<string>()
HttpApi.reflect(MailApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    methods.add(endpoint.method)
    routes.on(endpoint.method, endpoint.path as `/${string}`, true)
  }
})

/** The methods that the path has, `HEAD` with every `GET`. */
const allowed = (url: string): ReadonlyArray<string> =>
  [...methods]
    .filter((method) => routes.find(method as "GET", url) !== undefined)
    .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))

const noRoute = (url: string) => {
  const allow = allowed(url)
  return allow.length === 0
    ? errorResponse(404, { error: "not_found", message: "There is nothing at this path." })
    : errorResponse(
        405,
        { error: "method_not_allowed", message: `This path takes ${allow.join(", ")}.` },
        { allow: allow.join(", ") }
      )
}

export const layer = HttpRouter.middleware(
  (httpEffect) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const scope = requestScope(request.headers["x-request-id"])
      const response = yield* httpEffect.pipe(
        Effect.catchCause((cause) => {
          const [first] = cause.reasons
          if (first === undefined || first._tag === "Interrupt") return Effect.failCause(cause)
          const error: unknown = first._tag === "Fail" ? first.error : first.defect
          return HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"
            ? noRoute(request.url)
            : bugResponse(cause)
        }),
        Effect.annotateLogs({ correlationId: scope.correlationId }),
        Effect.provideService(RequestScope, scope)
      )
      return HttpServerResponse.setHeaders(response, {
        ...scope.responseHeaders,
        "x-request-id": scope.correlationId,
        "x-correlation-id": scope.correlationId
      })
    }),
  { global: true }
)
