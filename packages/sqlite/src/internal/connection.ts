/**
 * Opens the file: checks whose it is, migrates it, and proves that its commits are synced.
 */
import type { Stats } from "node:fs"
import { accessSync, closeSync, constants, existsSync, openSync, statSync } from "node:fs"
import { StoreNotOpened } from "@mailkeep/core/port"
import type { Database as SqliteDatabase } from "better-sqlite3"
import Database from "better-sqlite3"
import { Effect, Schedule } from "effect"
import type { Scope } from "effect"
import { oldNodeSentence } from "../nodeVersion.ts"
import { registerFunctions } from "./functions.ts"
import { applicationId, migrate, schemaVersion } from "./migrations.ts"
import { FileMoved, isBusy, reasonOf } from "./sqliteFailure.ts"

/** The fix for a WAL-reset race in older versions. */
const sqliteVersionMin = [3, 51, 3]

const synchronousFull = 2

/** The log is truncated to this size when it starts anew: 4,000 pages of 4 KiB. */
const logBytesKept = 4000 * 4096

/** Waits for a lock on the event loop, 5 s in all: SQLite's own waiting would block every fiber. */
export const busySchedule = Schedule.min([Schedule.exponential("2 millis"), Schedule.spaced("50 millis")]).pipe(
  Schedule.jittered,
  Schedule.upTo({ duration: "5 seconds" })
)

const isOldVersion = (text: string): boolean => {
  const parts = text.split(".").map(Number)
  const difference = sqliteVersionMin.map((min, index) => (parts[index] ?? 0) - min).find((part) => part !== 0)
  return difference !== undefined && difference < 0
}

/** Whose file it is, before anything is written. */
const identify = (database: SqliteDatabase, where: string): void => {
  const owner = database.pragma("application_id", { simple: true })
  const version = database.pragma("user_version", { simple: true }) as number
  const { tables } = database.prepare("SELECT count(*) AS tables FROM sqlite_schema").get() as {
    readonly tables: number
  }
  if (owner !== applicationId && (tables > 0 || version !== 0 || owner !== 0))
    throw new StoreNotOpened({ reason: "foreign_file", where })
  if (version > schemaVersion) throw new StoreNotOpened({ reason: "newer_schema", where })
}

/**
 * The setting reads back differently after the first write than before it, so it is read after one.
 * See docs/decisions/0005-durability.md.
 */
const proveDurable = (database: SqliteDatabase, where: string): void => {
  const { version } = database.prepare("SELECT sqlite_version() AS version").get() as { readonly version: string }
  database.exec("BEGIN IMMEDIATE")
  // Read again under the lock: a newer Mailkeep may have migrated the file meanwhile.
  const standing = database.pragma("user_version", { simple: true }) as number
  database.pragma(`user_version = ${standing}`)
  database.exec("COMMIT")
  if (standing > schemaVersion) throw new StoreNotOpened({ reason: "newer_schema", where })
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
    return new StoreNotOpened({ reason: "foreign_file", where, cause })
  return new StoreNotOpened({ reason: reasonOf(cause) ?? "unreachable", where, cause })
}

/** SQLite opens a file it may not write as a read-only one, and says so only at the first write. */
const checkWritable = (where: string): void => {
  if (!existsSync(where)) return
  try {
    accessSync(where, constants.R_OK | constants.W_OK)
  } catch (cause) {
    throw new StoreNotOpened({ reason: "read_only", where, cause })
  }
}

/** Only its owner reads and writes a store's files: SQLite gives the log the mode of the file itself. */
const privateMode = 0o600

/** Makes the file, empty, when it does not exist: SQLite would make it with whatever the process's umask leaves. Its mode is not changed afterwards. */
const createPrivate = (where: string): void => {
  if (existsSync(where)) return
  try {
    closeSync(openSync(where, "wx", privateMode))
  } catch {
    // Another process was first, or SQLite says what is wrong with the place.
  }
}

/** Which file has a name now. */
const identityOf = (stat: Stats | undefined): string | undefined =>
  stat === undefined ? undefined : `${stat.dev}/${stat.ino}`

/**
 * Checks the files after a commit and returns the bytes of the write-ahead log. Throws when the database or its log is no longer the
 * file that was opened: SQLite goes on writing to a file that was removed, and says nothing.
 */
export const fileCheck = (where: string): (() => number) => {
  const stats = () => [where, `${where}-wal`].map((path) => statSync(path, { throwIfNoEntry: false }))
  const opened = stats().map(identityOf)
  return () => {
    const now = stats()
    if (now.some((stat, n) => identityOf(stat) !== opened[n])) throw new FileMoved("The file is not where it was.")
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
    identify(database, where)
    database.pragma("journal_mode = WAL")
    database.pragma("synchronous = FULL")
    database.pragma("foreign_keys = ON")
    // Large enough that a checkpoint is rare beside the commits, small enough that the log stays in the cache.
    database.pragma("wal_autocheckpoint = 4000")
    // The log grows while a reader holds an old state. Afterwards it shrinks to the size that it has between two checkpoints.
    database.pragma(`journal_size_limit = ${logBytesKept}`)
    database.pragma("cache_size = -16384")
    registerFunctions(database)
    migrate(database)
    proveDurable(database, where)
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** The connection, closed with the scope. `:memory:` is refused: it is not durable, and `@mailkeep/memory` is there for that. */
export const openDatabase = (where: string): Effect.Effect<SqliteDatabase, StoreNotOpened, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({ try: () => openOnce(where), catch: (cause) => notOpened(cause, where) }).pipe(
      Effect.retry({ schedule: busySchedule, while: ({ cause }) => isBusy(cause) })
    ),
    (database) => Effect.sync(() => database.close())
  )
