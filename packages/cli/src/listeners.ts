/**
 * The ports of the server besides its interface: for bounces and complaints, for submission, and for health and metrics. A port that is not
 * given is not opened.
 */
import { readFileSync } from "node:fs"
import type { ListenerOptions } from "@mailkeep/inbound"
import * as NodeMailServer from "@mailkeep/http/node"
import { BounceListener, SmtpSubmission } from "@mailkeep/inbound"
import { Data, Effect, Layer } from "effect"
import type { Scope } from "effect"

/** What the flags say about these ports. */
export interface InboundOptions {
  readonly host: string
  readonly bouncesPort: number | undefined
  readonly bouncesHost: string | undefined
  readonly smtpPort: number | undefined
  readonly smtpHost: string | undefined
  readonly tlsCert: string | undefined
  readonly tlsKey: string | undefined
  readonly operationsPort: number | undefined
  readonly operationsHost: string
  readonly graceMillis: number
}

/** The files of the certificate cannot be read, or only one of them is given. */
export class CertificateNotRead extends Data.TaggedError("CertificateNotRead")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}

const certificate = ({
  tlsCert,
  tlsKey
}: InboundOptions): Effect.Effect<Pick<ListenerOptions, "tls">, CertificateNotRead> => {
  if (tlsCert === undefined && tlsKey === undefined) return Effect.succeed({})
  if (tlsCert === undefined || tlsKey === undefined)
    return Effect.fail(new CertificateNotRead({ reason: "give both --tls-cert and --tls-key" }))
  return Effect.try({
    try: () => ({ tls: { cert: readFileSync(tlsCert), key: readFileSync(tlsKey) } }),
    catch: () => new CertificateNotRead({ reason: "cannot read the files of --tls-cert and --tls-key" })
  })
}

/** The ports on which the listeners listen, for the first line of the server. */
export interface InboundPorts {
  readonly bounces?: string
  readonly smtp?: string
  /** The URL of health and metrics. */
  readonly operations?: string
}

/** Opens the given ports until the scope closes. */
export const openListeners = (options: InboundOptions, scope: Scope.Scope) =>
  Effect.gen(function* () {
    const { host, bouncesPort, bouncesHost = host, smtpPort, smtpHost = host, graceMillis } = options
    const { operationsPort, operationsHost } = options
    const tls = yield* certificate(options)
    let ports: InboundPorts = {}
    if (bouncesPort !== undefined) {
      const layer = BounceListener.layer({ host: bouncesHost, port: bouncesPort, graceMillis, ...tls })
      const { port } = yield* Effect.provideContext(BounceListener, yield* Layer.buildWithScope(layer, scope))
      ports = { ...ports, bounces: `${bouncesHost}:${port}` }
    }
    if (smtpPort !== undefined) {
      const layer = SmtpSubmission.layer({ host: smtpHost, port: smtpPort, graceMillis, ...tls })
      const { port } = yield* Effect.provideContext(SmtpSubmission, yield* Layer.buildWithScope(layer, scope))
      ports = { ...ports, smtp: `${smtpHost}:${port}` }
    }
    if (operationsPort !== undefined) {
      const layer = NodeMailServer.layerOperations({ host: operationsHost, port: operationsPort })
      const { url } = yield* Effect.provideContext(
        NodeMailServer.OperationsServer,
        yield* Layer.buildWithScope(layer, scope)
      )
      ports = { ...ports, operations: url }
    }
    return ports
  })
