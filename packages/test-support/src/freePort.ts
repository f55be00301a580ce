/**
 * A port for a program that cannot ask the system for one.
 */
import { once } from "node:events"
import { createServer } from "node:net"

/** The system gives ports from 32768 to connections and to servers that ask for any port. */
const ownPorts = { from: 10_000, to: 32_000 }

/**
 * A port that is free now, for a program that cannot ask the system for a port. It is not one that the system gives to another process before
 * the program takes it.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = ownPorts.from + Math.floor(Math.random() * (ownPorts.to - ownPorts.from))
    const server = createServer().listen(port, "127.0.0.1")
    const isFree = await once(server, "listening").then(
      () => true,
      () => false
    )
    if (!isFree) continue
    server.close()
    await once(server, "close")
    return port
  }
}

const portTriesMax = 5

/**
 * Starts a program on a free port. Tries another port when `start` returns `undefined`, because the program has ended: another process can take a port
 * first. Returns `undefined` after five ports.
 */
export const startOnFreePort = async <A>(
  start: (port: number) => Promise<A | undefined>,
  choosePort: () => Promise<number> = freePort
): Promise<A | undefined> => {
  for (let tries = 0; tries < portTriesMax; tries++) {
    const started = await start(await choosePort())
    if (started !== undefined) return started
  }
  return undefined
}
