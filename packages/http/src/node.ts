/**
 * The HTTP interface on a Node server.
 *
 * @example
 * ```ts
 * import { MailCore, PlanSource } from "@mailkeep/core"
 * import * as NodeCrypto from "@mailkeep/core/node"
 * import { layerNode, url } from "@mailkeep/http/node"
 * import { MemoryMailStore } from "@mailkeep/memory"
 * import { StubTransport } from "@mailkeep/smtp"
 * import { Effect, Layer } from "effect"
 *
 * const adapters = Layer.mergeAll(MemoryMailStore.layer, StubTransport.layer(), PlanSource.layerFixed({}), NodeCrypto.layer)
 * const server = layerNode({ host: "127.0.0.1", port: 0 }).pipe(Layer.provide(MailCore.layer), Layer.provide(adapters))
 * const program = Effect.map(url, (address) => console.log(address.startsWith("http://127.0.0.1:"))) // true
 * await Effect.runPromise(Effect.provide(program, server))
 * ```
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assertOptions, given, optionsOf } from "@mailkeep/core/options"
import { Context, Effect, Layer } from "effect"
import type { HttpServerError } from "effect/http"
import { HttpRouter, HttpServer } from "effect/http"
import type { MailboxOption } from "./mailbox/mailboxOption.ts"
import { checkedMailbox, mailboxRule } from "./mailbox/mailboxOption.ts"
import { nodeBodyChunks } from "./node/incomingChunks.ts"
import type { ServerLimits } from "./node/limits.ts"
import { defaultServerLimits } from "./node/limits.ts"
import { makeNodeServer } from "./node/nodeServer.ts"
import { addressRules, limitRules } from "./node/serverOptionsRule.ts"
import { BodyBudget, makeBodyBudget } from "./server/bodyBudget.ts"
import { BodyChunks } from "./server/bodyChunks.ts"
import type { MailServices } from "./server/MailServer.ts"
import { noUrlSpans } from "./server/requestSpan.ts"
import { routerConfig } from "./server/routerConfig.ts"
import { routesOf } from "./server/routes.ts"

export { layerOperations, OperationsServer } from "./node/operationsServer.ts"
export type { OperationsOptions } from "./node/operationsServer.ts"
export type { ServerLimits } from "./node/limits.ts"
export { nodeListener } from "./node/nodeListener.ts"
export type { NodeListener, NodeListenerOptions } from "./node/nodeListener.ts"
export { incomingMessageOf } from "./node/webRequest.ts"

/** The address of the server, and limits that differ from the defaults. */
export interface ServerOptions extends Partial<ServerLimits> {
  /** The address or host name to listen on, such as `127.0.0.1`. */
  readonly host: string
  /** The port to listen on. 0 picks a free port. */
  readonly port: number
  /** Whether to serve the development mailbox at `/mailbox`; default `false`. `layerNode` throws as `fetchHandler` does. */
  readonly mailbox?: MailboxOption | undefined
}

/**
 * The present load of a running server, for metrics.
 *
 * @example
 * ```ts
 * import { ServerLoad } from "@mailkeep/http/node"
 * import { Effect } from "effect"
 *
 * export const logLoad = Effect.gen(function* () {
 *   const load = yield* ServerLoad
 *   yield* Effect.logInfo({ connections: load.connections(), bodyBytes: load.bodyBytes() })
 * })
 * ```
 */
export class ServerLoad extends Context.Service<
  ServerLoad,
  {
    /** Open connections. */
    readonly connections: () => number
    /** Bytes of request bodies in memory, without the first 16 KiB of each body. */
    readonly bodyBytes: () => number
    /** Bytes of responses over 16 KiB that are not yet written. */
    readonly responseBytes: () => number
  }
>()("@mailkeep/http/node/ServerLoad") {}

const serverLayer = ({ host, port, ...options }: Omit<ServerOptions, "mailbox">) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const limits = { ...defaultServerLimits, ...given(options) }
      const budget = makeBodyBudget(limits)
      const { http, connections, responseBytes } = yield* makeNodeServer({ host, port }, limits)
      return Context.empty().pipe(
        Context.add(HttpServer.HttpServer, http),
        Context.add(BodyBudget, budget),
        Context.add(BodyChunks, nodeBodyChunks),
        Context.add(ServerLoad, { connections, bodyBytes: budget.reservedBytes, responseBytes })
      )
    })
  )

const rule = optionsOf<ServerOptions>(
  { ...addressRules, ...limitRules, mailbox: mailboxRule },
  { owner: "the Node server", required: ["host", "port"] }
)

/**
 * A Node server for the interface. When its scope closes, it accepts no new connection and answers the requests that it has accepted,
 * within `graceMillis`. Fails with `ServeError` if it cannot listen on the address. Throws a `TypeError` for an unknown option and for one of
 * another form.
 */
export const layerNode = (
  options: ServerOptions
): Layer.Layer<HttpServer.HttpServer | ServerLoad, HttpServerError.ServeError, MailServices> => {
  assertOptions(rule, options)
  const { mailbox = false, ...server } = options
  return HttpRouter.serve(routesOf({ basePath: "", docs: true, mailbox: checkedMailbox(mailbox) }), {
    disableLogger: true,
    disableListenLog: true,
    routerConfig
  }).pipe(
    Layer.provideMerge(serverLayer(server)),
    Layer.provide(Layer.merge(NodeHttpServer.layerHttpServices, noUrlSpans))
  )
}

/** The address that a running server listens on. */
export const url: Effect.Effect<string, never, HttpServer.HttpServer> = Effect.map(
  HttpServer.HttpServer,
  ({ address }) => HttpServer.formatAddress(address)
)
