/**
 * Runs the command. SIGTERM, SIGINT and SIGHUP end it cleanly: it first finishes the running requests and hand-offs. A second signal ends it at once.
 */
import { setImmediate } from "node:timers"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { ignoreLostLog, watchStdout } from "./files.ts"
import { exitCodeOf, interruptedCode, runCommand } from "./runCommand.ts"
import { makeSignalWatch } from "./secondSignal.ts"

const lostOutput = watchStdout(process.stdout)
ignoreLostLog(process.stderr)

/** A command that has failed has printed why. */
const endWith = (code: number): number => {
  if (code === interruptedCode) process.stderr.write("mailkeep: The command was interrupted before its end.\n")
  const failure = lostOutput()
  if (failure === undefined || code === 1) return code
  process.stderr.write(`mailkeep: ${failure.message}\n`)
  return 1
}

// The terminal was closed. Without this, Node ends the process at once, in the middle of its hand-offs.
process.on("SIGHUP", () => process.kill(process.pid, "SIGTERM"))

const watchSignal = makeSignalWatch(
  () => performance.now(),
  () => {
    process.stderr.write("mailkeep: A second signal ended the command at once, as a crash would.\n")
    process.exit(interruptedCode)
  }
)
process.on("SIGINT", watchSignal)
process.on("SIGTERM", watchSignal)

runCommand(process.argv.slice(2)).pipe(
  NodeRuntime.runMain({
    // A stream reports the error of a write at the end of the turn.
    teardown: (exit, onExit) => void setImmediate(() => onExit(endWith(exitCodeOf(exit))))
  })
)
