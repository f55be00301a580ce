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

/** The exit code of a command that a signal interrupts before its end. A shell has the same for SIGINT. */
export const interruptedCode = 130

/** 1 for a failure. A command has the exit code that it set. If it set none, 0 after its end and 130 when a signal interrupted it before. */
export const exitCodeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit)) return Number(process.exitCode ?? 0)
  return Cause.hasInterruptsOnly(exit.cause) ? Number(process.exitCode ?? interruptedCode) : 1
}
