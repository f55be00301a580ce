/**
 * What SQLite's result codes mean to the core.
 */
import { StoreUnavailable } from "@mailkeep/core/port"
import { SqliteError } from "better-sqlite3"

/** The file is not where it was: what is written now would be gone with the process. */
export class FileMoved extends Error {}

type Reason = "full" | "locked" | "read_only" | "unreachable"

/** `undefined` for what is a mistake of ours, such as a broken constraint or wrong SQL. */
export const reasonOf = (cause: unknown): Reason | undefined => {
  if (cause instanceof FileMoved) return "unreachable"
  if (!(cause instanceof SqliteError)) return undefined
  const { code } = cause
  const is = (name: string) => code === name || code.startsWith(`${name}_`)
  // A full disk shows first where the shared memory of the log cannot grow.
  if (is("SQLITE_FULL") || code === "SQLITE_IOERR_SHMSIZE") return "full"
  if (is("SQLITE_BUSY") || is("SQLITE_LOCKED") || is("SQLITE_PROTOCOL")) return "locked"
  if (is("SQLITE_READONLY") || is("SQLITE_PERM")) return "read_only"
  if (is("SQLITE_IOERR") || is("SQLITE_CANTOPEN") || is("SQLITE_CORRUPT") || is("SQLITE_NOTADB") || is("SQLITE_NOMEM"))
    return "unreachable"
  return undefined
}

export const isBusy = (cause: unknown): boolean => reasonOf(cause) === "locked"

/** The port's failure, or the cause itself, thrown, when it is a mistake. */
export const unavailable = (cause: unknown): StoreUnavailable => {
  const reason = reasonOf(cause)
  if (reason === undefined) throw cause
  return new StoreUnavailable({ reason, cause })
}
