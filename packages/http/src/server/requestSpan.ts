/**
 * The span of a request: its method, its route and its status. Effect's own span has the whole URL, and so the tokens of links, the searched text
 * and the addresses of clients. Source: decision 0046.
 */
import { Clock, Data, Effect, Exit, Layer, Option, Tracer } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpMiddleware, HttpTraceContext } from "effect/http"
import type { RouteTable } from "./routeTable.ts"

/** Switches off Effect's span of a request, which has the whole URL. */
export const noUrlSpans: Layer.Layer<never> = Layer.succeed(HttpMiddleware.TracerDisabledWhen)(() => true)

/** A request that was answered with an error of the server. */
class RequestFailed extends Data.TaggedError("RequestFailed")<{ readonly status: number }> {
  override get message() {
    return `The request was answered with status ${this.status}.`
  }
}

type Response = HttpServerResponse.HttpServerResponse

/** How the span ends. Neither the response nor the cause of a failure is in the span. */
const endOf = (exit: Exit.Exit<Response, unknown>): Exit.Exit<void, RequestFailed> => {
  if (Exit.isSuccess(exit))
    return exit.value.status < 500 ? Exit.void : Exit.fail(new RequestFailed({ status: exit.value.status }))
  return Exit.hasInterrupts(exit) ? Exit.interrupt() : Exit.fail(new RequestFailed({ status: 500 }))
}

/** Runs the handler of a request within a span, if the program has a tracer. The spans of the services become its children. */
export const withRequestSpan = <E, R>(
  request: HttpServerRequest.HttpServerRequest,
  { routeOf }: Pick<RouteTable, "routeOf">,
  respond: Effect.Effect<Response, E, R>
): Effect.Effect<Response, E, R> =>
  Effect.gen(function* () {
    const tracer = yield* Tracer.Tracer
    if (tracer === Tracer.nativeTracer) return yield* respond
    const route = routeOf(request.method, request.url)
    const span = yield* Effect.makeSpan(route === undefined ? request.method : `${request.method} ${route}`, {
      kind: "server",
      parent: Option.getOrUndefined(HttpTraceContext.fromHeaders(request.headers)),
      attributes: {
        "http.request.method": request.method,
        ...(route === undefined ? {} : { "http.route": route })
      }
    })
    const end = (exit: Exit.Exit<Response, E>) =>
      Effect.map(Clock.currentTimeNanos, (now) => {
        if (Exit.isSuccess(exit)) span.attribute("http.response.status_code", exit.value.status)
        span.end(now, endOf(exit))
      })
    return yield* respond.pipe(Effect.withParentSpan(span), Effect.onExit(end))
  }) as Effect.Effect<Response, E, R>
