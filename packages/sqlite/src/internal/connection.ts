/**
 * Opens the file: checks its version, migrates the schema, and checks that commits are synced.
 */
import type { Stats } from "node:fs"
import { accessSync, closeSync, constants, existsSync, openSync, statSync } from "node:fs"
import { StoreNotOpened } from "@mailkeep/core/adapter"
import type { Database as SqliteDatabase } from "better-sqlite3"
import Database from "better-sqlite3"
import { Effect, Schedule } from "effect"
import type { Scope } from "effect"
import { oldNodeSentence } from "../nodeVersion.ts"
import { migrate, schemaVersion, touchVersion, versionOf } from "./migrations.ts"
import { FileMoved, isBusy, reasonOf } from "./sqliteFailure.ts"

/** The first version with the fix for a race in the reset of the write-ahead log. */
const sqliteVersionMin = [3, 51, 3]

const synchronousFull = 2

/** SQLite truncates the log to this size when it restarts the log: 4,000 pages of 4 KiB. */
const logBytesKept = 4000 * 4096

/** Waits for a lock on the event loop, 5 s in all. SQLite's own wait would block every fiber. */
export const busySchedule = Schedule.min([Schedule.exponential("2 millis"), Schedule.spaced("50 millis")]).pipe(
  Schedule.jittered,
  Schedule.upTo({ duration: "5 seconds" })
)

const isOldVersion = (text: string): boolean => {
  const parts = text.split(".").map(Number)
  const difference = sqliteVersionMin.map((min, index) => (parts[index] ?? 0) - min).find((part) => part !== 0)
  return difference !== undefined && difference < 0
}

/** Refuses a file of a newer Mailkeep before anything is written. Does not touch the tables of other programs. */
const checkVersion = (database: SqliteDatabase, where: string): void => {
  if (versionOf(database) > schemaVersion) throw new StoreNotOpened({ reason: "newer_schema", where })
}

/**
 * SQLite reports another value after the first write than before, so the setting is read after a write.
 * See docs/decisions/0005-durability.md.
 */
const proveDurable = (database: SqliteDatabase, where: string): void => {
  const { version } = database.prepare("SELECT sqlite_version() AS version").get() as { readonly version: string }
  database.exec("BEGIN IMMEDIATE")
  touchVersion(database)
  database.exec("COMMIT")
  // Checks again, because a newer Mailkeep may have migrated the file meanwhile.
  checkVersion(database, where)
  const journal = database.pragma("journal_mode", { simple: true })
  const synchronous = database.pragma("synchronous", { simple: true })
  if (journal !== "wal" || synchronous !== synchronousFull || isOldVersion(version))
    throw new StoreNotOpened({
      reason: "not_durable",
      where,
      cause: `journal_mode=${String(journal)} synchronous=${String(synchronous)} sqlite=${version}`
    })
}

const notOpened = (cause: unknown, where: string): StoreNotOpened => {
  if (cause instanceof StoreNotOpened) return cause
  if (cause instanceof Database.SqliteError && cause.code === "SQLITE_NOTADB")
    return new StoreNotOpened({ reason: "not_a_database", where, cause })
  return new StoreNotOpened({ reason: reasonOf(cause) ?? "unreachable", where, cause })
}

/** SQLite opens a file without write permission as a read-only file, and reports this only at the first write. */
const checkWritable = (where: string): void => {
  if (!existsSync(where)) return
  try {
    accessSync(where, constants.R_OK | constants.W_OK)
  } catch (cause) {
    throw new StoreNotOpened({ reason: "read_only", where, cause })
  }
}

/** Only the owner may read and write the files of a store. SQLite gives the log the mode of the database file. */
const privateMode = 0o600

/**
 * Creates an empty file if none exists, because SQLite would use the umask of the process. Does not change the mode of
 * an existing file.
 */
const createPrivate = (where: string): void => {
  if (existsSync(where)) return
  try {
    closeSync(openSync(where, "wx", privateMode))
  } catch {
    // Another process created the file first, or SQLite reports the problem with the path.
  }
}

/** Identifies the file that has this name now. */
const identityOf = (stat: Stats | undefined): string | undefined =>
  stat === undefined ? undefined : `${stat.dev}/${stat.ino}`

/**
 * Checks the files after a commit and returns the size of the write-ahead log in bytes. Throws if the database or its
 * log is no longer
 * the file that was opened: SQLite continues to write to a deleted file without an error.
 */
export const fileCheck = (where: string): (() => number) => {
  const stats = () => [where, `${where}-wal`].map((path) => statSync(path, { throwIfNoEntry: false }))
  const opened = stats().map(identityOf)
  return () => {
    const now = stats()
    if (now.some((stat, n) => identityOf(stat) !== opened[n]))
      throw new FileMoved("The store file was moved, deleted or replaced.")
    return now[1]?.size ?? 0
  }
}

const checkRuntime = (where: string): void => {
  const detail = oldNodeSentence(process.versions)
  if (detail !== undefined) throw new StoreNotOpened({ reason: "unsupported_runtime", where, detail })
}

const openOnce = (where: string): SqliteDatabase => {
  checkRuntime(where)
  checkWritable(where)
  if (where !== "" && where !== ":memory:") createPrivate(where)
  const database = new Database(where, { timeout: 0 })
  try {
    checkVersion(database, where)
    database.pragma("journal_mode = WAL")
    database.pragma("synchronous = FULL")
    database.pragma("foreign_keys = ON")
    // Large, so that checkpoints are rare compared with commits, but small, so that the log stays in the cache.
    database.pragma("wal_autocheckpoint = 4000")
    // The log grows while a reader uses an old state. Afterwards it shrinks to its usual size between two checkpoints.
    database.pragma(`journal_size_limit = ${logBytesKept}`)
    database.pragma("cache_size = -16384")
    migrate(database)
    proveDurable(database, where)
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** Opens the connection; the scope closes it. Refuses `:memory:`, which is not durable; use `@mailkeep/memory` instead. */
export const openDatabase = (where: string): Effect.Effect<SqliteDatabase, StoreNotOpened, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({ try: () => openOnce(where), catch: (cause) => notOpened(cause, where) }).pipe(
      Effect.retry({ schedule: busySchedule, while: ({ cause }) => isBusy(cause) })
    ),
    (database) => Effect.sync(() => database.close())
  )
