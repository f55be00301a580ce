/**
 * The interface as a web-standard handler. This file and its imports do not need Node.
 */
import type { OptionRules } from "@mailkeep/core/options"
import { assertOptions, flagOption, functionOption, listOption, mustBe, optionsOf } from "@mailkeep/core/options"
import { Context, Layer, ManagedRuntime } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import type { MailboxOption } from "../mailbox/mailboxOption.ts"
import { checkedMailbox, mailboxRule } from "../mailbox/mailboxOption.ts"
import type { EndpointPart } from "./endpointParts.ts"
import { endpointParts, isEndpointPart } from "./endpointParts.ts"
import type { Authenticate } from "./productPrincipal.ts"
import type { MailServices } from "./routes.ts"
import { noUrlSpans } from "./requestSpan.ts"
import { routesOf } from "./routes.ts"
import { routerConfig } from "./routerConfig.ts"

/** Where the handler is mounted, who may call it, and what it serves. */
export interface FetchHandlerOptions {
  /** The path below which the handler is mounted, such as `/mail`; default the root. It begins with a slash and does not end with one. */
  readonly basePath?: string | undefined
  /**
   * Maps a session of the product to a project and permissions. Each request to an endpoint asks it first; a request that it does not know
   * needs an API key. A failure is answered with 500, without its text. A session counts against the rate limit of its project only.
   */
  readonly authenticate?: Authenticate | undefined
  /**
   * Origins of other sites whose pages may change data with a session, such as `https://app.acme.example`; default none. Requests with an
   * API key need none.
   */
  readonly trustedOrigins?: ReadonlyArray<string> | undefined
  /** The parts of the interface to mount; default all. The rest is 404, except the page of the links to unsubscribe. */
  readonly endpoints?: ReadonlyArray<EndpointPart> | undefined
  /** Whether to serve `/openapi.json` and `/docs`; default `true`. They show only the mounted parts, and need no API key. */
  readonly docs?: boolean | undefined
  /**
   * Whether to serve the development mailbox at `/mailbox`; default `false`. It shows the mail that the stub transport kept, to requests of
   * this machine. With `NODE_ENV=production`, `fetchHandler` throws unless the option is `"also in production"`.
   */
  readonly mailbox?: MailboxOption | undefined
}

/** A handler of requests, and how to close it. */
export interface FetchHandler {
  /**
   * Answers a request. The first request opens the core if it is not open. A path outside of `basePath` gets 404. Rejects when the core does not
   * open, with the failure of the core; the next request tries again. Also rejects after `dispose`.
   */
  readonly handler: (request: Request) => Promise<Response>
  /** Closes the handler. Closes the core only if it is a `Layer`. */
  readonly dispose: () => Promise<void>
}

/** The mail of a product, such as `openMail` of the package `mailkeep` returns. */
export interface OpenableMail<E> {
  /** The core. The handler reads it for each request, so a mail may begin again with another one. */
  readonly runtime: ManagedRuntime.ManagedRuntime<MailServices, E>
  /** Opens the mail, or rejects with the reason why it cannot be opened. Without it, the first effect of `runtime` opens it. */
  readonly open?: (() => Promise<unknown>) | undefined
}

/** A core: an open one as a context, a runtime or an object with a runtime, or a layer that opens one. */
export type MailSource<E = never> =
  | Context.Context<MailServices>
  | ManagedRuntime.ManagedRuntime<MailServices, E>
  | OpenableMail<E>
  | Layer.Layer<MailServices, E>

/** The runtime of the mail at this time; `undefined` for a context and a layer. */
const runtimeOf = (mail: MailSource<unknown>): unknown =>
  ManagedRuntime.isManagedRuntime(mail) ? mail : (mail as OpenableMail<unknown> | undefined | null)?.runtime

const servicesOf = <E>(mail: MailSource<E>): Layer.Layer<MailServices, E> => {
  if (Layer.isLayer(mail)) return mail as Layer.Layer<MailServices, E>
  if (Context.isContext(mail)) return Layer.succeedContext(mail as Context.Context<MailServices>)
  const runtime = runtimeOf(mail)
  if (!ManagedRuntime.isManagedRuntime(runtime))
    throw new TypeError("The first argument must be a mail object, a ManagedRuntime, a Context or a Layer.")
  return Layer.effectContext((runtime as ManagedRuntime.ManagedRuntime<MailServices, E>).contextEffect)
}

const openMail = async (mail: MailSource<unknown>): Promise<void> => {
  if ("open" in mail && typeof mail.open === "function") await mail.open()
}

const isText = (value: unknown): value is string => typeof value === "string"

const isOrigin = (value: unknown): boolean => isText(value) && URL.canParse(value) && new URL(value).origin === value

const isBasePath = (value: unknown): boolean => isText(value) && /^(?:\/|(?:\/[\w.~-]+)+)?$/.test(value)

/** Every option. With a misspelled `endpoints`, the whole interface would be mounted. */
const rules: OptionRules<FetchHandlerOptions> = {
  basePath: mustBe('a path such as "/mail": it begins with a slash and does not end with one', isBasePath),
  authenticate: functionOption,
  trustedOrigins: listOption('origins, such as "https://app.acme.example": a scheme and a host, no path', isOrigin),
  endpoints: listOption(`parts of the interface: ${endpointParts.join(", ")}`, isEndpointPart),
  docs: flagOption,
  mailbox: mailboxRule
}

/**
 * Answers web-standard requests from a core.
 *
 * A context, a runtime or an object with a `runtime` is shared: the handler uses its store, its API keys and its wake-up signal. A message that
 * arrives over HTTP wakes the dispatcher of the same process. A layer opens a core of its own, which `dispose` closes. Use a layer only when
 * nothing else in the process uses that store. Throws a `TypeError` for an unknown option and when an option has another form.
 */
export const fetchHandler = <E>(mail: MailSource<E>, options: FetchHandlerOptions = {}): FetchHandler => {
  assertOptions(optionsOf(rules, { owner: "fetchHandler" }), options)
  const { basePath = "", authenticate, trustedOrigins = [], endpoints, docs = true, mailbox = false } = options
  const routes = routesOf({
    basePath: basePath === "/" ? "" : basePath,
    endpoints,
    authentication: authenticate === undefined ? undefined : { authenticate, trustedOrigins: new Set(trustedOrigins) },
    docs,
    mailbox: checkedMailbox(mailbox)
  })
  const make = () =>
    HttpRouter.toWebHandler(
      // The services stay in the context of the handler, so that the loggers, the clock and the tracer of the core also apply to requests.
      Layer.merge(routes, noUrlSpans).pipe(
        Layer.provideMerge(servicesOf(mail)),
        Layer.provideMerge(HttpServer.layerServices)
      ),
      { disableLogger: true, routerConfig }
    )
  // Fails now when the argument is not a core, although nothing is opened yet.
  servicesOf(mail)
  // A module that makes a handler opens nothing when it is imported, so that a build of the product opens no store.
  let opening: Promise<ReturnType<typeof make>> | undefined
  let openedRuntime: unknown
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    const web = await opening?.catch(() => undefined)
    await web?.dispose()
  }
  const answer = async (request: Request): Promise<Response> => {
    if (closing !== undefined) throw new Error("The handler is closed.")
    const runtime = runtimeOf(mail)
    if (opening === undefined || openedRuntime !== runtime) {
      const before = close()
      openedRuntime = runtime
      opening = before.then(() => openMail(mail)).then(make)
    }
    const current = opening
    try {
      return await (await current).handler(request)
    } catch (cause) {
      // Only an opening fails. What it has opened is closed again.
      if (opening === current) {
        opening = undefined
        await current.then(({ dispose }) => dispose()).catch(() => {})
      }
      throw cause
    }
  }
  return { handler: answer, dispose: () => (closing ??= close()) }
}
