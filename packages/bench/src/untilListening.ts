/**
 * Waits until a program listens on its port.
 */
import { connect } from "node:net"
import { setTimeout as wait } from "node:timers/promises"

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => {
      socket.destroy()
      resolve(true)
    })
    socket.once("error", () => resolve(false))
  })

/** Waits until a program listens on the port, at most 10 s. */
export const untilListening = async (port: number, program: string): Promise<void> => {
  for (let tries = 0; tries < 200; tries++, await wait(50)) if (await isListening(port)) return
  throw new Error(`${program} does not listen`)
}
