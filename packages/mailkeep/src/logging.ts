/**
 * The log of the core for a product: one readable line for each warning, or the entries as plain objects.
 */
import { logParts } from "@mailkeep/core/binding"
import type { LogLevel } from "effect"
import { Cause, Logger } from "effect"

/** How serious an entry of the log is. */
export type LogEntryLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal"

/** An entry of the log. It contains no address, no subject, no body and no secret. */
export interface LogEntry {
  readonly level: LogEntryLevel
  /** A sentence. */
  readonly message: string
  /** The facts that belong to the message. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly at: Date
}

const levels: Readonly<Partial<Record<LogLevel.LogLevel, LogEntryLevel>>> = {
  Trace: "trace",
  Debug: "debug",
  Info: "info",
  Warn: "warn",
  Error: "error",
  Fatal: "fatal"
}

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

const toEntry = ({ message, logLevel, cause, date }: Logger.Options<unknown>): LogEntry => {
  const { sentence, facts } = logParts(message)
  return {
    level: levels[logLevel] ?? "info",
    message: sentence,
    fields: cause.reasons.length > 0 ? { ...facts, cause: Cause.pretty(cause) } : facts,
    at: date
  }
}

const serious: ReadonlySet<LogEntryLevel> = new Set(["warn", "error", "fatal"])

/** `mailkeep: The dispatcher waits for the store. reason="locked"` */
const lineOf = ({ message, fields }: LogEntry): string =>
  [`mailkeep: ${message}`, ...Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`)].join(
    " "
  )

const printSerious = (entry: LogEntry): void => {
  // oxlint-disable-next-line no-console -- This is where a product expects it.
  if (serious.has(entry.level)) console.warn(lineOf(entry))
}

const ignore = (): void => {}

/**
 * Gives each entry to `onLog`. Without it, prints warnings and errors with `console.warn`. A function that throws, and an async function that rejects,
 * have no effect on the mail.
 */
export const logLayer = (onLog: (entry: LogEntry) => void = printSerious) =>
  Logger.layer([
    Logger.make((options) => {
      try {
        const returned: unknown = onLog(toEntry(options))
        // An async function has the type of one that returns nothing. Its rejection would end the process.
        if (isPromiseLike(returned)) returned.then(ignore, ignore)
      } catch {
        // The mail is more important than its log.
      }
    })
  ])
