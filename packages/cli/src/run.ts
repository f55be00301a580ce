/**
 * Runs the command. SIGTERM and SIGINT end it cleanly: it first finishes the running requests and hand-offs.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit } from "effect"
import { Command } from "effect/cli"
import { mailkeep, version } from "./command.ts"
import { logsToStderr } from "./output.ts"
import { tracing } from "./tracing.ts"

Command.run(mailkeep, { version }).pipe(
  Effect.provide(NodeServices.layer),
  Effect.provide(tracing(version)),
  Effect.provide(logsToStderr),
  NodeRuntime.runMain({
    teardown: (exit, onExit) => {
      const stopped = Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)
      onExit(stopped ? Number(process.exitCode ?? 0) : 1)
    }
  })
)
