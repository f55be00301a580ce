/**
 * Says which failures are of SQLite or its files, and which are bugs. Loads no Effect, because the worker threads use it too.
 */
import { SqliteError } from "better-sqlite3"
import { NotOpened } from "./notOpened.ts"

/** The file was moved, deleted or replaced. A write now would be lost with the process. */
export class FileMoved extends Error {}

type Reason = "full" | "locked" | "newer_schema" | "read_only" | "unreachable"

/** Why a thread that starts again does not open the file. */
const reasonOfNotOpened = ({ reason }: NotOpened): Reason =>
  reason === "newer_schema" || reason === "read_only" ? reason : "unreachable"

/** The result code of an error of SQLite. */
export const codeOf = (cause: unknown): string | undefined => (cause instanceof SqliteError ? cause.code : undefined)

/** Returns `undefined` for a bug, such as a violated constraint or wrong SQL. */
export const reasonOf = (cause: unknown): Reason | undefined => {
  if (cause instanceof FileMoved) return "unreachable"
  if (cause instanceof NotOpened) return reasonOfNotOpened(cause)
  const code = codeOf(cause)
  if (code === undefined) return undefined
  const is = (name: string) => code === name || code.startsWith(`${name}_`)
  // On a full disk, SQLite first fails to grow the shared memory of the log.
  if (is("SQLITE_FULL") || code === "SQLITE_IOERR_SHMSIZE") return "full"
  if (is("SQLITE_BUSY") || is("SQLITE_LOCKED") || is("SQLITE_PROTOCOL")) return "locked"
  if (is("SQLITE_READONLY") || is("SQLITE_PERM")) return "read_only"
  if (is("SQLITE_IOERR") || is("SQLITE_CANTOPEN") || is("SQLITE_CORRUPT") || is("SQLITE_NOTADB") || is("SQLITE_NOMEM"))
    return "unreachable"
  return undefined
}

/** Whether the content of the file is not that of a database. */
export const isDamaged = (cause: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(cause) ?? "")

/** What to do about a damaged file. Without a full stop. */
export const damagedSentence = "The file of the store is damaged. Stop every process that uses it, and restore a backup"

const newerSentence = "This store was written by a newer Mailkeep. Stop this process, and start it with that version."

/** A sentence that says what to do about the cause, or `undefined`. */
export const detailOf = (cause: unknown): string | undefined => {
  if (cause instanceof FileMoved) return cause.message
  if (cause instanceof NotOpened && cause.reason === "newer_schema") return newerSentence
  return isDamaged(cause) ? `${damagedSentence}.` : undefined
}

export const isBusy = (cause: unknown): boolean => reasonOf(cause) === "locked"
