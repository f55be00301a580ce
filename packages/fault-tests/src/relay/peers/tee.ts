/**
 * Listens for a client, passes all bytes on to the server, and gives a copy of the client's bytes to a third program, whose answers it ignores.
 */
import { once } from "node:events"
import type { AddressInfo, Socket } from "node:net"
import { connect, createServer } from "node:net"

export interface Tee extends AsyncDisposable {
  readonly port: number
}

const host = "127.0.0.1"

/** Starts a listener before the server and the third program. */
export const startTee = async (serverPort: number, copyPort: number): Promise<Tee> => {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const [toServer, toCopy] = [connect(serverPort, host), connect(copyPort, host)]
    for (const socket of [client, toServer, toCopy]) {
      sockets.add(socket)
      socket.on("error", () => socket.destroy())
      socket.on("close", () => sockets.delete(socket))
    }
    client.on("data", (piece: Buffer) => toCopy.write(piece))
    client.on("close", () => toCopy.end())
    toCopy.resume()
    client.pipe(toServer)
    toServer.pipe(client)
  }).listen(0, host)
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, "close")
    }
  }
}
