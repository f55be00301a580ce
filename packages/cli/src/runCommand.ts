/**
 * Runs the command with given arguments, and returns the exit code of its end.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit } from "effect"
import { Command } from "effect/cli"
import { mailkeep, version } from "./command.ts"
import { logsToStderr } from "./output.ts"
import { tracing } from "./tracing.ts"
import { plainFlagErrors } from "./flagErrors.ts"

/** The command with these arguments, such as `["keys", "list", "--json"]`. */
export const runCommand = (args: ReadonlyArray<string>) =>
  Command.runWith(mailkeep, { version })(args).pipe(
    Effect.provide(NodeServices.layer),
    Effect.provide(plainFlagErrors(args)),
    Effect.provide(tracing(version)),
    Effect.provide(logsToStderr)
  )

/** 1 for a failure. A command that ended, or was stopped by a signal, has the exit code that it set, and 0 if it set none. */
export const exitCodeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  const ended = Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)
  return ended ? Number(process.exitCode ?? 0) : 1
}
