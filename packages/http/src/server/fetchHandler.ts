/**
 * The interface as a web-standard handler. Nothing that this file imports needs Node.
 */
import type { Context } from "effect"
import { Layer, ManagedRuntime } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import type { MailServices } from "./routes.ts"
import { bareRoutesAt, routesAt } from "./routes.ts"
import { routerConfig } from "./routerConfig.ts"

export interface FetchHandlerOptions {
  /** Where the handler is mounted, such as `/mail`: begins with a slash and does not end with one. The root when left out. */
  readonly basePath?: string
  /** Whether `/openapi.json` and `/docs` are served; `true` when left out. */
  readonly docs?: boolean
}

export interface FetchHandler {
  /** Answers a request; a path outside of `basePath` is 404. Rejects only when the core does not open, with its failure. */
  readonly handler: (request: Request) => Promise<Response>
  /** Ends the handler. Closes the core only if it was given as a layer. */
  readonly dispose: () => Promise<void>
}

/** A core: one that is open, as a context or a runtime, or a layer that opens one. */
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
 * A context or a runtime is used as it is: the handler shares its store, its API keys and its wake-up signal, so that mail that comes in over
 * HTTP wakes the dispatcher of the same process. A layer opens a core of its own, which `dispose` closes: give a layer only when nothing
 * else of the process uses that store. Throws a `TypeError` when `basePath` has another form.
 */
export const fetchHandler = <E>(
  mail: MailSource<E>,
  { basePath = "", docs = true }: FetchHandlerOptions = {}
): FetchHandler => {
  const path = checkedBasePath(basePath)
  const routes = docs ? routesAt(path) : bareRoutesAt(path)
  // The services stay in the handler's context: loggers, the clock and the tracer of the core hold for requests too.
  const { handler, dispose } = HttpRouter.toWebHandler(
    routes.pipe(Layer.provideMerge(servicesOf(mail)), Layer.provideMerge(HttpServer.layerServices)),
    { disableLogger: true, routerConfig }
  )
  return { handler, dispose }
}
