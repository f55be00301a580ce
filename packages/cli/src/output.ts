/**
 * Prints the result of a command: a line of JSON, or text for people. Logs never go to standard output.
 */
import type { MailRefusal, MasterSecretRefused, StoreNotOpened, StoreUnavailable } from "@mailkeep/core"
import { logParts } from "@mailkeep/core/binding"
import type { MoveRefused } from "@mailkeep/core/move"
import type { ListenerNotStarted } from "@mailkeep/inbound"
import type { SmtpTransport } from "@mailkeep/smtp"
import { Console, Effect, Logger } from "effect"
import type { FileFailed } from "./files.ts"
import type { DomainNameUnknown } from "./domainNames.ts"
import type { CertificateIncomplete } from "./certificateFiles.ts"
import type { OperationsNotStarted } from "./listeners.ts"

/** A value in logfmt: in quotes, with escapes, if it contains a space, a quote or an equals sign. */
const logValue = (value: unknown): string => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value))
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text)
}

/**
 * One line in logfmt for each entry. Effect's own format writes the facts of an entry as a second `message`, and a program that reads logfmt keeps only one
 * of the two.
 */
const logLine = Logger.make<unknown, string>((entry) => {
  const { sentence, facts } = logParts(entry.message)
  return [
    Logger.formatLogFmt.log({ ...entry, message: sentence }),
    ...Object.entries(facts).map(([name, value]) => `${name}=${logValue(value)}`)
  ].join(" ")
})

export const logsToStderr = Logger.layer([Logger.withConsoleError(logLine)])

/** Control characters, line and paragraph separators, and characters that change the text direction. A terminal interprets them. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** The text on one line, with an escape such as `\u001b` instead of each character that a terminal interprets. */
export const printable = (text: string): string => text.replace(unprintable, escaped)

/** The same, but line breaks are kept. */
const printableLines = (text: string): string => text.split("\n").map(printable).join("\n")

/** JSON on one line. The escapes within its strings are valid JSON. */
const printableJson = (value: unknown): string => printable(JSON.stringify(value))

/** Prints no character that a terminal interprets, whatever the stored data contains. */
export const print = (asJson: boolean, value: unknown, forPeople: string): Effect.Effect<void> =>
  Console.log(asJson ? printableJson(value) : printableLines(forPeople))

/** Formats rows as aligned columns. */
export const table = (texts: ReadonlyArray<ReadonlyArray<string>>): string => {
  const rows = texts.map((row) => row.map(printable))
  // Not `Math.max(...)`: a function takes no argument for each of 200,000 rows.
  const widths = (rows[0] ?? []).map((_, column) => rows.reduce((most, row) => Math.max(most, row[column]!.length), 0))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** Prints one line on standard error and sets exit code 1. */
export const exitWith = (message: string): Effect.Effect<void> =>
  Effect.andThen(
    Console.error(`mailkeep: ${printable(message)}`),
    Effect.sync(() => {
      process.exitCode = 1
    })
  )

/** For a command that has no end of its own: a signal is its end, with exit code 0. */
export const untilInterrupted = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.onInterrupt(effect, () =>
    Effect.sync(() => {
      process.exitCode ??= 0
    })
  )

/** The failures of a command. */
export type CommandFailure =
  | MailRefusal
  | StoreNotOpened
  | StoreUnavailable
  | MasterSecretRefused
  | MoveRefused
  | SmtpTransport.SmtpOptionsInvalid
  | ListenerNotStarted
  | CertificateIncomplete
  | FileFailed
  | DomainNameUnknown
  | OperationsNotStarted

/** Prints the message of a failure and sets exit code 1. */
export const exitOnFailure = <A, R>(effect: Effect.Effect<A, CommandFailure, R>) =>
  Effect.catch(effect, ({ _tag, message }) =>
    exitWith(_tag === "MasterSecretRefused" ? `${message} The command reads it from MAILKEEP_SECRET.` : message)
  )
