/**
 * Runs the command. SIGTERM and SIGINT end it cleanly: it first finishes the running requests and hand-offs.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { exitCodeOf, runCommand } from "./runCommand.ts"

runCommand(process.argv.slice(2)).pipe(
  NodeRuntime.runMain({
    teardown: (exit, onExit) => onExit(exitCodeOf(exit))
  })
)
