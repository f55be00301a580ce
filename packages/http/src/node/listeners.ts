/**
 * Listens on a port with several sockets. Node's event loop accepts one connection of each socket in each round. With one socket, a client
 * that opens hundreds of connections a second delays all clients. Source: decision 0032.
 */
import { Effect } from "effect"
import { HttpServerError } from "effect/http"
import type { Server as HttpServer } from "node:http"
import type { AddressInfo, ListenOptions } from "node:net"
import { createServer, Server } from "node:net"

/** Connections accepted in one round of the event loop. */
const socketCount = 64

/**
 * Connections that the kernel queues for one socket until they are accepted. A client whose connection does not fit retries only after a
 * second.
 */
const backlogMax = 1024

/** The error codes of systems without shared ports. */
const unsupportedCodes: ReadonlySet<string | undefined> = new Set(["ENOTSUP", "EINVAL", "ENOPROTOOPT"])

const listening = (server: Server, options: ListenOptions): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen({ ...options, backlog: backlogMax }, () => {
      server.off("error", reject)
      // A connection that cannot be accepted must not end the process. This occurs when the file descriptors run out.
      server.on("error", () => {})
      resolve(server.address() as AddressInfo)
    })
  })

/** Fails if another process listens on the port. Listening on a shared port does not fail if the other process shares it too. */
const assertFree = async (options: ListenOptions): Promise<void> => {
  const server = createServer()
  await listening(server, options)
  await new Promise((resolve) => server.close(resolve))
}

/** The first socket of a shared port, or the only socket if the system has no shared ports. */
const listenFirst = async (server: HttpServer, options: ListenOptions) => {
  try {
    return { bound: await listening(server, { ...options, reusePort: true }), isShared: true }
  } catch (cause) {
    if (!unsupportedCodes.has((cause as NodeJS.ErrnoException).code)) throw cause
    return { bound: await listening(server, options), isShared: false }
  }
}

export interface Listeners {
  readonly address: AddressInfo
  /** Stops listening; open connections stay open. */
  readonly close: () => void
}

const listenShared = async (http: HttpServer, options: ListenOptions): Promise<Listeners> => {
  // The kernel does not share a port that it picks itself.
  if (options.port !== 0) await assertFree(options)
  const { bound, isShared } = await listenFirst(http, options)
  const servers: Array<Server> = [http]
  // `http.Server.close` would also destroy the connections whose first request is about to be read.
  const close = () => servers.forEach((server) => Server.prototype.close.call(server))
  try {
    for (let more = isShared ? socketCount - 1 : 0; more > 0; more--) {
      // Sets the same options as `node:http`.
      const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => http.emit("connection", socket))
      await listening(server, { host: bound.address, port: bound.port, reusePort: true })
      servers.push(server)
    }
  } catch (cause) {
    close()
    throw cause
  }
  return { address: bound, close }
}

/** Passes the connections of the host and port to the server. Two processes that start within a millisecond may share a port. */
export const listen = (
  server: HttpServer,
  options: { readonly host: string; readonly port: number }
): Effect.Effect<Listeners, HttpServerError.ServeError> =>
  Effect.tryPromise({
    try: () => listenShared(server, options),
    catch: (cause) => new HttpServerError.ServeError({ cause })
  })
