/**
 * What a command prints: a line of JSON, or something for people. Logs never go to standard output.
 */
import type { MailFailure, MasterSecretRefused, StoreNotOpened, StoreUnavailable } from "@mailkeep/core"
import { Console, Effect, Logger } from "effect"

export const logsToStderr = Logger.layer([Logger.withConsoleError(Logger.formatSimple)])

export const print = (asJson: boolean, value: unknown, forPeople: string): Effect.Effect<void> =>
  Console.log(asJson ? JSON.stringify(value) : forPeople)

/** Rows as aligned columns. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** One line on standard error, and the exit code 1. */
export const exitWith = (message: string): Effect.Effect<void> =>
  Effect.andThen(
    Console.error(`mailkeep: ${message}`),
    Effect.sync(() => {
      process.exitCode = 1
    })
  )

/** What a command may fail with. */
export type CommandFailure = MailFailure | StoreNotOpened | StoreUnavailable | MasterSecretRefused

/** Ends with the message of what failed. */
export const exitOnFailure = <A, R>(effect: Effect.Effect<A, CommandFailure, R>) =>
  Effect.catch(effect, ({ _tag, message }) =>
    exitWith(_tag === "MasterSecretRefused" ? `${message} The command reads it from MAILKEEP_SECRET.` : message)
  )
