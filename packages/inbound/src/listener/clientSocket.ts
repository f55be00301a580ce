/**
 * A connection as the server uses it: it reads and writes bytes, and begins TLS. A test may use one without a socket.
 */
import { Data, Effect } from "effect"
import type { Socket } from "node:net"
import type { SecureContext } from "node:tls"
import { TLSSocket } from "node:tls"

/** The connection is closed, or it broke. */
export class ConnectionLost extends Data.TaggedError("ConnectionLost")<{}> {}

/** A connection of a client. */
export interface ClientSocket {
  readonly remoteAddress: string
  readonly isSecure: () => boolean
  /** Waits for bytes. Returns `null` when the client has sent its last. */
  readonly read: Effect.Effect<Uint8Array | null, ConnectionLost>
  /** Writes text, and waits until the operating system has taken it. */
  readonly write: (text: string) => Effect.Effect<void, ConnectionLost>
  /** Begins TLS, and waits for the end of the handshake. Nothing that was read before is kept. */
  readonly startTls: Effect.Effect<void, ConnectionLost>
  /** Closes the connection after what is written has been sent. */
  readonly close: Effect.Effect<void>
  /** Breaks the connection. */
  readonly destroy: Effect.Effect<void>
}

/** How long a closed connection waits for the client to close its side. */
const lingerMillis = 1000

const closed = (socket: Socket): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (socket.closed) return resume(Effect.void)
    const onClose = () => resume(Effect.void)
    socket.once("close", onClose)
    return Effect.sync(() => socket.off("close", onClose))
  })

const handshake = (secure: TLSSocket): Effect.Effect<void, ConnectionLost> =>
  Effect.callback((resume) => {
    const done = () => resume(Effect.void)
    const lost = () => resume(Effect.fail(new ConnectionLost()))
    secure.once("secure", done)
    secure.once("close", lost)
    return Effect.sync(() => secure.off("secure", done).off("close", lost))
  })

/** Makes the connection of a socket. `secureContext` gives the TLS settings of now; without it, `startTls` fails. */
export const makeClientSocket = (first: Socket, secureContext: (() => SecureContext) | null): ClientSocket => {
  let socket = first
  let wake = () => {}
  const onChange = () => wake()
  const attach = () => socket.on("readable", onChange).on("end", onChange).on("close", onChange)
  // A socket without a listener for errors ends the process. The event `close` follows each error.
  first.on("error", () => {})
  attach()

  const read = Effect.callback<Uint8Array | null, ConnectionLost>((resume) => {
    const attempt = () => {
      const chunk = socket.read() as Uint8Array | null
      if (chunk === null && !socket.readableEnded && !socket.destroyed) return
      wake = () => {}
      if (chunk !== null) resume(Effect.succeed(chunk))
      else resume(socket.readableEnded ? Effect.succeed(null) : Effect.fail(new ConnectionLost()))
    }
    wake = attempt
    attempt()
    return Effect.sync(() => (wake = () => {}))
  })

  const write = (text: string) =>
    Effect.callback<void, ConnectionLost>((resume) => {
      if (!socket.writable) return resume(Effect.fail(new ConnectionLost()))
      const lost = () => resume(Effect.fail(new ConnectionLost()))
      // A connection that is destroyed during a write may not call back.
      socket.once("close", lost)
      socket.write(text, (error) => {
        socket.off("close", lost)
        resume(error === undefined || error === null ? Effect.void : Effect.fail(new ConnectionLost()))
      })
      return Effect.sync(() => socket.off("close", lost))
    })

  const startTls = Effect.suspend(() => {
    if (secureContext === null || socket.destroyed) return Effect.fail(new ConnectionLost())
    socket.off("readable", onChange).off("end", onChange).off("close", onChange)
    const secure = new TLSSocket(socket, { isServer: true, secureContext: secureContext() })
    secure.on("error", () => {})
    socket = secure
    return Effect.tap(handshake(secure), () => Effect.sync(attach))
  })

  const destroy = Effect.sync(() => {
    socket.destroy()
    first.destroy()
  })

  const close = Effect.suspend(() => {
    socket.off("readable", onChange)
    socket.end()
    // Unread bytes would make the operating system drop the last reply.
    socket.resume()
    return Effect.timeoutOption(closed(socket), lingerMillis)
  }).pipe(
    Effect.andThen(destroy),
    Effect.onInterrupt(() => destroy)
  )

  return {
    remoteAddress: first.remoteAddress ?? "",
    isSecure: () => socket instanceof TLSSocket,
    read,
    write,
    startTls,
    close,
    destroy
  }
}
