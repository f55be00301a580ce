/**
 * What a command prints: a line of JSON, or something for people. Logs never go to standard output.
 */
import type { MailFailure, MasterSecretRefused, StoreNotOpened, StoreUnavailable } from "@mailkeep/core"
import { Console, Effect, Logger } from "effect"

export const logsToStderr = Logger.layer([Logger.withConsoleError(Logger.formatSimple)])

/** Control characters, line and paragraph separators, and what changes the direction of text: a terminal acts on them. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** The text on one line, with an escape such as `\u001b` in place of each character that a terminal acts on. */
export const printable = (text: string): string => text.replace(unprintable, escaped)

/** The same, but line breaks stay. */
const printableLines = (text: string): string => text.split("\n").map(printable).join("\n")

/** JSON on one line; escapes within its strings are JSON too. */
const printableJson = (value: unknown): string => printable(JSON.stringify(value))

/** Whatever is stored, nothing is printed that a terminal acts on. */
export const print = (asJson: boolean, value: unknown, forPeople: string): Effect.Effect<void> =>
  Console.log(asJson ? printableJson(value) : printableLines(forPeople))

/** Rows as aligned columns. */
export const table = (texts: ReadonlyArray<ReadonlyArray<string>>): string => {
  const rows = texts.map((row) => row.map(printable))
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
    Console.error(`mailkeep: ${printable(message)}`),
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
