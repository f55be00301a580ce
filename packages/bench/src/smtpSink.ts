/**
 * The receiver of the hand-offs: `smtp-sink` of Postfix, which takes mail as fast as it comes and keeps none.
 */
import { spawn } from "node:child_process"
import { freePort } from "@mailkeep/test-support/freePort"
import { untilListening } from "./untilListening.ts"

/** Starts the receiver. */
export const startSink = async (): Promise<{ readonly port: number; readonly stop: () => void }> => {
  const port = await freePort()
  const sink = spawn("smtp-sink", ["-u", process.env["USER"] ?? "root", `127.0.0.1:${port}`, "256"], {
    stdio: "ignore"
  })
  await untilListening(port, "smtp-sink")
  return { port, stop: () => sink.kill() }
}
