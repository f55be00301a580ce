/**
 * The receiver of the measurements: `smtp-sink` of Postfix, which takes mail as fast as it comes and keeps none.
 */
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { createServer, connect } from "node:net"
import type { AddressInfo } from "node:net"
import { setTimeout as wait } from "node:timers/promises"

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => {
      socket.destroy()
      resolve(true)
    })
    socket.once("error", () => resolve(false))
  })

/** Waits until something listens on the port. */
const untilListening = async (port: number): Promise<void> => {
  for (let tries = 0; tries < 100; tries++, await wait(50)) if (await isListening(port)) return
  throw new Error("smtp-sink does not listen")
}

/** Ends the program with a sentence if `smtp-sink` is not installed. */
export const startSink = async (): Promise<{ readonly port: number; readonly process: ChildProcess }> => {
  const port = await freePort()
  const sink = spawn("smtp-sink", ["-u", process.env["USER"] ?? "root", `127.0.0.1:${port}`, "256"], {
    stdio: "ignore"
  })
  sink.once("error", () => {
    console.error("smtp-sink is not installed; on Debian it is in the package postfix")
    process.exit(1)
  })
  await untilListening(port)
  return { port, process: sink }
}
