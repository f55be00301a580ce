/**
 * A TCP proxy between products and a server of PostgreSQL. The server behind it can change, and it can cut all connections at one message.
 */
import { once } from "node:events"
import type { AddressInfo, Socket } from "node:net"
import { connect, createServer } from "node:net"
import { makeMessageFrames } from "./postgresFrames.ts"

/** A cut: the N-th message of a direction from now on, counted over all connections, does not arrive, and no connection survives. */
export interface Cut {
  readonly direction: "toServer" | "toClient"
  /** 1: the next message. */
  readonly message: number
}

/** A running proxy. */
export interface DatabaseProxy {
  /** The TCP port on 127.0.0.1. */
  readonly port: number
  /** New connections go to this port from now on. */
  readonly setTarget: (port: number) => void
  /** Closes every connection. */
  readonly cutAll: () => void
  /** Forwards nothing more on the connections that are open now, and leaves them open, as when the host of the server has disappeared. */
  readonly silenceAll: () => void
  /** Arms a cut, or disarms it. */
  readonly arm: (cut: Cut | null) => void
  /** Whether the armed cut has happened. */
  readonly hasCut: () => boolean
  /** Closes every connection and stops listening. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Starts a proxy on a free port of the loopback address. */
export const startProxy = async (targetPort: number): Promise<DatabaseProxy> => {
  let target = targetPort
  let armed: Cut | null = null
  let seen = 0
  const sockets = new Set<Socket>()
  const silent = new WeakSet<Socket>()

  const cutAll = () => {
    for (const socket of sockets) socket.destroy()
  }

  /** Forwards messages until the armed one. */
  const forward = (direction: Cut["direction"], messages: ReadonlyArray<Buffer>, to: Socket): void => {
    if (silent.has(to)) return
    for (const message of messages) {
      if (armed?.direction === direction && ++seen === armed.message) return cutAll()
      to.write(message)
    }
  }

  // A host that has disappeared does not answer the end of a connection either.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: target, host: "127.0.0.1", allowHalfOpen: true })
    const ends = [client, upstream] as const
    for (const [index, socket] of ends.entries()) {
      sockets.add(socket)
      socket.setNoDelay(true)
      const other = ends[1 - index]!
      socket.on("error", () => {})
      socket.once("end", () => {
        if (!silent.has(other)) other.end()
      })
      socket.once("close", () => {
        sockets.delete(socket)
        if (!silent.has(other)) other.destroy()
      })
    }
    const [fromClient, fromServer] = [makeMessageFrames("client"), makeMessageFrames("server")]
    client.on("data", (bytes: Buffer) => forward("toServer", fromClient(bytes), upstream))
    upstream.on("data", (bytes: Buffer) => forward("toClient", fromServer(bytes), client))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    setTarget: (port) => {
      target = port
    },
    cutAll,
    silenceAll: () => {
      for (const socket of sockets) silent.add(socket)
    },
    arm: (cut) => {
      armed = cut
      seen = 0
    },
    hasCut: () => armed !== null && seen >= armed.message,
    [Symbol.asyncDispose]: async () => {
      cutAll()
      server.close()
      await once(server, "close")
    }
  }
}
