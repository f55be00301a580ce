/**
 * The interface as a web-standard handler. This file and its imports do not need Node.
 */
import type { Context } from "effect"
import { Layer, ManagedRuntime } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import type { MailServices } from "./routes.ts"
import { noUrlSpans } from "./requestSpan.ts"
import { bareRoutesAt, routesAt } from "./routes.ts"
import { routerConfig } from "./routerConfig.ts"

/** Where the handler is mounted, and what it serves besides the endpoints. */
export interface FetchHandlerOptions {
  /** The path below which the handler is mounted, such as `/mail`; default the root. It begins with a slash and does not end with one. */
  readonly basePath?: string
  /** Whether to serve `/openapi.json` and `/docs`; default `true`. */
  readonly docs?: boolean
}

/** A handler of requests, and how to close it. */
export interface FetchHandler {
  /** Answers a request. A path outside of `basePath` gets 404. Rejects only when the core does not open, with the failure of the core. */
  readonly handler: (request: Request) => Promise<Response>
  /** Closes the handler. Closes the core only if it is a `Layer`. */
  readonly dispose: () => Promise<void>
}

/** A core: an open one as a context or a runtime, or a layer that opens one. */
export type MailSource<E = never> =
  | Context.Context<MailServices>
  | ManagedRuntime.ManagedRuntime<MailServices, E>
  | Layer.Layer<MailServices, E>

const servicesOf = <E>(mail: MailSource<E>): Layer.Layer<MailServices, E> =>
  Layer.isLayer(mail)
    ? (mail as Layer.Layer<MailServices, E>)
    : ManagedRuntime.isManagedRuntime(mail)
      ? Layer.effectContext((mail as ManagedRuntime.ManagedRuntime<MailServices, E>).contextEffect)
      : Layer.succeedContext(mail as Context.Context<MailServices>)

const checkedBasePath = (basePath: string): string => {
  if (basePath === "" || basePath === "/") return ""
  if (/^(?:\/[\w.~-]+)+$/.test(basePath)) return basePath
  throw new TypeError('basePath must have a form such as "/mail": it begins with a slash and does not end with one.')
}

/**
 * Answers web-standard requests from a core.
 *
 * A context or a runtime is shared: the handler uses its store, its API keys and its wake-up signal. A message that arrives over HTTP wakes
 * the dispatcher of the same process. A layer opens a core of its own, which `dispose` closes. Use a layer only when nothing else in the
 * process uses that store. Throws a `TypeError` when `basePath` has another form.
 */
export const fetchHandler = <E>(
  mail: MailSource<E>,
  { basePath = "", docs = true }: FetchHandlerOptions = {}
): FetchHandler => {
  const path = checkedBasePath(basePath)
  const routes = docs ? routesAt(path) : bareRoutesAt(path)
  // The services stay in the context of the handler, so that the loggers, the clock and the tracer of the core also apply to requests.
  const { handler, dispose } = HttpRouter.toWebHandler(
    Layer.merge(routes, noUrlSpans).pipe(
      Layer.provideMerge(servicesOf(mail)),
      Layer.provideMerge(HttpServer.layerServices)
    ),
    { disableLogger: true, routerConfig }
  )
  return { handler, dispose }
}
