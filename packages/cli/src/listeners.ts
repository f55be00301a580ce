/**
 * The ports of the server besides its interface: for bounces and complaints, for submission, and for health and metrics.
 */
import { hostAndPort } from "@mailkeep/core/binding"
import type { Listener } from "@mailkeep/inbound"
import * as NodeMailServer from "@mailkeep/http/node"
import { Context, Data, Effect, Layer } from "effect"
import type { Scope } from "effect"
import type { CertificateFlags } from "./certificateFiles.ts"
import { certificateOf } from "./certificateFiles.ts"

/** What the flags say about these ports. A port that is `undefined` is not opened. */
export interface ListenerOptions extends CertificateFlags {
  readonly host: string
  readonly bouncesPort: number | undefined
  readonly bouncesHost: string | undefined
  readonly smtpPort: number | undefined
  readonly smtpHost: string | undefined
  readonly operationsPort: number | undefined
  readonly operationsHost: string | undefined
  readonly graceMillis: number
}

/** The port for health and metrics cannot be opened. */
export class OperationsNotStarted extends Data.TaggedError("OperationsNotStarted")<{
  readonly address: string
  readonly cause: unknown
}> {
  override get message() {
    return `cannot listen on ${this.address} for health and metrics: ${String((this.cause as Error).message)}`
  }
}

/** The addresses of the ports that are open. */
export interface OpenPorts {
  readonly bounces?: string
  readonly smtp?: string
  /** The URL of health and metrics. */
  readonly operations?: string
}

/** Loads the listeners only for a server that opens their ports. */
const inbound = Effect.promise(() => import("@mailkeep/inbound"))

/** Opens a listener until the scope closes, and returns its address. */
const opened = <I, E, R>(
  service: Context.Key<I, Listener>,
  layer: Layer.Layer<I, E, R>,
  scope: Scope.Scope
): Effect.Effect<string, E, R> =>
  Effect.map(Layer.buildWithScope(layer, scope), (context) => {
    const { host, port } = Context.get(context, service)
    return hostAndPort(host, port)
  })

const openOperations = (options: { readonly host: string; readonly port: number }, scope: Scope.Scope) =>
  Effect.gen(function* () {
    const layer = NodeMailServer.layerOperations(options)
    return Context.get(yield* Layer.buildWithScope(layer, scope), NodeMailServer.OperationsServer).url
  }).pipe(
    Effect.catchTag("ServeError", ({ cause }) =>
      Effect.fail(new OperationsNotStarted({ address: hostAndPort(options.host, options.port), cause }))
    )
  )

/** Opens the given ports until the scope closes. */
export const openListeners = (options: ListenerOptions, scope: Scope.Scope) =>
  Effect.gen(function* () {
    const { host, bouncesPort, smtpPort, operationsPort, graceMillis } = options
    const tls = yield* certificateOf(options)
    let ports: OpenPorts = {}
    if (bouncesPort !== undefined) {
      const { BounceListener } = yield* inbound
      const listener = { host: options.bouncesHost ?? host, port: bouncesPort, graceMillis, ...tls }
      ports = { ...ports, bounces: yield* opened(BounceListener, BounceListener.layer(listener), scope) }
    }
    if (smtpPort !== undefined) {
      const { SmtpSubmission } = yield* inbound
      const listener = { host: options.smtpHost ?? host, port: smtpPort, graceMillis, ...tls }
      ports = { ...ports, smtp: yield* opened(SmtpSubmission, SmtpSubmission.layer(listener), scope) }
    }
    if (operationsPort !== undefined) {
      const operations = { host: options.operationsHost ?? "127.0.0.1", port: operationsPort }
      ports = { ...ports, operations: yield* openOperations(operations, scope) }
    }
    return ports
  })
