/**
 * Stops a server. It answers the requests that it has accepted, within one grace period. Source: decision 0032.
 */
import type { Server } from "node:http"
import { setImmediate as immediate, setTimeout as wait } from "node:timers/promises"
import { lateRequest } from "./malformedHttp.ts"
import type { Connections } from "./connections.ts"
import type { Listeners } from "./listeners.ts"
import { refuseConnection } from "./refusal.ts"

/** The listeners are closed after this time without a new connection, because the kernel's queues are then empty. */
const quietMillis = 20
/** New connections are accepted for at most this long, however many arrive. */
const acceptMillisMax = 1000
/** An incomplete request that gets no byte for this long is given up. */
const silenceMillis = 1000

export interface Listening {
  readonly server: Server
  readonly listeners: Listeners
  readonly connections: Connections
}

const acceptQueued = async ({ listeners, connections }: Listening, millisMax: number) => {
  const end = performance.now() + millisMax
  for (let accepted = -1; accepted !== connections.accepted() && performance.now() < end;) {
    accepted = connections.accepted()
    await wait(quietMillis)
    // A busy process may not poll the listeners during the wait. It does so before this immediate runs.
    await immediate()
  }
  listeners.close()
}

/** Closes the listeners and all connections. Resolves after `graceMillis` at the latest. */
export const shutDown = async (listening: Listening, graceMillis: number): Promise<void> => {
  const { server, connections } = listening
  const end = performance.now() + graceMillis
  connections.close()
  await acceptQueued(listening, Math.min(acceptMillisMax, graceMillis))
  while (connections.size() > 0 && performance.now() < end) {
    connections.closeIdle()
    connections.endSilent(silenceMillis, (socket) =>
      socket.bytesRead > 0 && socket.writable ? refuseConnection(socket, lateRequest) : socket.destroy()
    )
    await wait(quietMillis)
  }
  connections.destroyAll()
  // A destroyed socket is closed in a later turn of the event loop.
  while (connections.size() > 0) await immediate()
  // This only stops the timer of the server, because the listeners are already closed.
  server.close()
}
