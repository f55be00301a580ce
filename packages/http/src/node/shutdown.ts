/**
 * Stops a server: answers what it has accepted, within one grace. Source: decision 0032.
 */
import type { Server } from "node:http"
import { setImmediate as immediate, setTimeout as wait } from "node:timers/promises"
import { lateRequest } from "./brokenRequest.ts"
import type { Connections } from "./connections.ts"
import type { Listeners } from "./listeners.ts"
import { refuseConnection } from "./refusal.ts"

/** The listeners are closed when this time has passed without a new connection: none is left in the kernel's queues. */
const quietMillis = 20
/** New connections are taken no longer than this, however many there are. */
const acceptMillisMax = 1000
/** A request that is not complete and gets no byte for this long is given up. */
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
    // A busy process may not have polled the listeners in that time; before an immediate runs, it has.
    await immediate()
  }
  listeners.close()
}

/** Resolves when the listeners and all connections are closed, after `graceMillis` at the latest. */
export const shutDown = async (listening: Listening, graceMillis: number): Promise<void> => {
  const { server, connections } = listening
  const end = performance.now() + graceMillis
  connections.close()
  await acceptQueued(listening, Math.min(acceptMillisMax, graceMillis))
  while (connections.size() > 0 && performance.now() < end) {
    connections.closeResting()
    connections.endSilent(silenceMillis, (socket) =>
      socket.bytesRead > 0 && socket.writable ? refuseConnection(socket, lateRequest) : socket.destroy()
    )
    await wait(quietMillis)
  }
  connections.destroyAll()
  // A destroyed socket is closed in a later turn of the event loop.
  while (connections.size() > 0) await immediate()
  // Only stops the timer of the server: the listeners are closed.
  server.close()
}
