/**
 * Listens on a port, and serves each connection until the scope closes.
 */
import { hostAndPort, isLoopbackAddress } from "@mailkeep/core/binding"
import { Clock, Data, Effect, FiberSet, Latch, Semaphore } from "effect"
import type { Scope } from "effect"
import type { AddressInfo, Server, Socket } from "node:net"
import { createServer } from "node:net"
import { hostname } from "node:os"
import type { SecureContext } from "node:tls"
import type { ListenerState } from "./connection.ts"
import { serveConnection } from "./connection.ts"
import { makeConnectionPlaces } from "./connectionPlaces.ts"
import type { ListenerLimits } from "./limits.ts"
import type { MailHandler } from "./MailHandler.ts"
import { makeMessageMemory } from "./messageMemory.ts"
import { formatReply } from "./Reply.ts"
import { protocolReply } from "./protocolReplies.ts"
import type { SessionRules } from "./session.ts"
import { isGreetingName } from "./session.ts"
import type { ReadTls, TlsOptions } from "./certificate.ts"
import { CertificateNotUsable, openCertificate } from "./certificate.ts"
import { makeClientSocket } from "./clientSocket.ts"

/**
 * The listener cannot start. The reason `address` means that the port is in use, that this machine does not have the address, or that the process may
 * not use the port. The reason `certificate` means that the certificate or the private key is not usable, or that `implicitTls` has none. The reason `tls`
 * means that an API key would cross a network without encryption.
 */
export class ListenerNotStarted extends Data.TaggedError("ListenerNotStarted")<{
  readonly reason: "address" | "certificate" | "tls"
  /** The code of the operating system, such as `EADDRINUSE`, or of OpenSSL, if there is one. */
  readonly code?: string
  /** The address and the port, such as `0.0.0.0:25`, with the reason `address`. */
  readonly address?: string
}> {
  override get message() {
    const { address, code } = this
    const withCode = code === undefined ? "" : ` (${code})`
    if (this.reason === "certificate") return `The certificate or the private key is missing or not usable${withCode}.`
    if (this.reason === "tls") return "Authentication from other machines needs a certificate."
    return `The listener cannot use the address${address === undefined ? "" : ` ${address}`}${withCode}.`
  }
}

/** Where a listener listens, its certificate, and limits that differ from the defaults. */
export interface ListenerOptions extends Partial<ListenerLimits> {
  /** The address or host name to listen on; default `127.0.0.1`. */
  readonly host?: string
  /** The port to listen on. 0 picks a free port. */
  readonly port: number
  /** The name of the server in its greeting, in ASCII; default the name of the machine. */
  readonly hostName?: string
  /**
   * The certificate for TLS, or a function that returns it. Without it, the listener offers no TLS. The function is called at the start and each minute after
   * that, so that a renewed certificate needs no restart. It has 10 s. When it fails or its certificate is not usable, the listener keeps the last one, and the
   * log has a warning.
   */
  readonly tls?: TlsOptions | ReadTls
  /** Whether TLS begins at once (RFC 8314) or after `STARTTLS`; default after `STARTTLS`. Needs `tls`. */
  readonly implicitTls?: boolean
}

/** A running listener. */
export interface Listener {
  /** The address that it listens on. */
  readonly host: string
  /** The port that it listens on, also if the options say 0. */
  readonly port: number
  /** Open connections. */
  readonly connections: () => number
  /** Bytes in memory of messages that are being received or handled, without the first 16 KiB of each. */
  readonly messageBytes: () => number
}

interface ListenerParts<Client> {
  readonly options: ListenerOptions
  readonly limits: ListenerLimits
  /** The bytes of a message that the handler reads; default all. */
  readonly readBytesMax?: number
  readonly protocol: SessionRules["protocol"]
  readonly needsApiKey: boolean
  /** Whether an API key may cross a network without TLS. */
  readonly allowsClearApiKey: boolean
  readonly handler: MailHandler<Client>
}

const rulesFor = <Client>(
  { options, limits, protocol, needsApiKey, allowsClearApiKey }: ListenerParts<Client>,
  remoteAddress: string
): SessionRules => {
  const name = options.hostName ?? hostname()
  return {
    protocol,
    hostName: isGreetingName(name) ? name : "localhost",
    messageBytesMax: limits.messageBytesMax,
    recipientsMax: limits.recipientsMax,
    commandsMax: limits.commandsMax,
    errorsMax: limits.errorsMax,
    apiKeyFailuresMax: limits.apiKeyFailuresMax,
    offersTls: options.tls !== undefined && options.implicitTls !== true,
    needsApiKey,
    // Bytes to and from this machine cross no network.
    allowsClearApiKey: allowsClearApiKey || isLoopbackAddress(remoteAddress)
  }
}

/** Refuses a connection without waiting for the client. */
const refuse = (socket: Socket): void => {
  socket.on("error", () => {})
  socket.end(formatReply(protocolReply("tooManyConnections")), () => socket.destroy())
}

const listen = (server: Server, host: string, port: number): Effect.Effect<AddressInfo, ListenerNotStarted> =>
  Effect.callback((resume) => {
    const onError = ({ code }: NodeJS.ErrnoException) =>
      resume(
        Effect.fail(
          new ListenerNotStarted({
            reason: "address",
            address: hostAndPort(host, port),
            ...(code === undefined ? {} : { code })
          })
        )
      )
    server.once("error", onError)
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off("error", onError)
      // A connection that cannot be accepted must not end the process. This occurs when the file descriptors run out.
      server.on("error", () => {})
      resume(Effect.succeed(server.address() as AddressInfo))
    })
  })

const certificateOf = ({
  tls,
  implicitTls
}: ListenerOptions): Effect.Effect<(() => SecureContext) | null, ListenerNotStarted, Scope.Scope> => {
  if (tls === undefined && implicitTls !== true) return Effect.succeed(null)
  const opened = tls === undefined ? Effect.fail(new CertificateNotUsable({ code: null })) : openCertificate(tls)
  return Effect.mapError(
    opened,
    ({ code }) => new ListenerNotStarted({ reason: "certificate", ...(code === null ? {} : { code }) })
  )
}

/**
 * Opens a listener. When the scope closes, it accepts no new connection, finishes the messages that are being received within
 * `graceMillis`, and closes all connections. Fails with `ListenerNotStarted`.
 */
export const openListener = <Client>(
  parts: ListenerParts<Client>
): Effect.Effect<Listener, ListenerNotStarted, Scope.Scope> =>
  Effect.gen(function* () {
    const { options, limits, readBytesMax = limits.messageBytesMax, handler } = parts
    const host = options.host ?? "127.0.0.1"
    const secureContext = yield* certificateOf(options)
    const keptBytesMax = Math.min(readBytesMax, limits.messageBytesMax)
    const state: ListenerState = {
      limits,
      keptBytesMax,
      memory: makeMessageMemory(limits.bufferedBytesMax, keptBytesMax),
      largeMessages: yield* Semaphore.make(1),
      stopping: yield* Latch.make()
    }
    const fibers = yield* FiberSet.make<void>()
    const fork = yield* FiberSet.runtime(fibers)()
    const places = makeConnectionPlaces(limits)
    const clock = yield* Clock.Clock

    const serve = (socket: Socket) => {
      const { remoteAddress = "" } = socket
      const place = places.take(remoteAddress, clock.currentTimeMillisUnsafe())
      if (place === null) return refuse(socket)
      socket.once("close", () => places.release(remoteAddress, place))
      const client = makeClientSocket(socket, secureContext)
      const served = serveConnection({ socket: client, rules: rulesFor(parts, remoteAddress), handler, state, place })
      const whole =
        options.implicitTls === true
          ? client.startTls.pipe(Effect.timeout(limits.tlsMillis), Effect.andThen(served), Effect.ignore)
          : served
      fork(Effect.ensuring(whole, client.destroy))
    }
    // A client may close its side after its last command, and still gets the replies.
    const server = createServer({ allowHalfOpen: true, noDelay: true, keepAlive: true }, serve)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => server.close()).pipe(
        Effect.andThen(state.stopping.open),
        Effect.andThen(FiberSet.awaitEmpty(fibers)),
        Effect.timeoutOption(limits.graceMillis)
      )
    )
    const address = yield* listen(server, host, options.port)
    return {
      host: address.address,
      port: address.port,
      connections: places.count,
      messageBytes: state.memory.bytes
    }
  })
