/**
 * Opens the file: checks whose it is, migrates it, and proves that its commits are synced.
 */
import { accessSync, constants, existsSync, statSync } from "node:fs"
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

/** Which file stands under a name. */
const identityOf = (path: string): string | undefined => {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? undefined : `${stat.dev}/${stat.ino}`
}

/**
 * Throws when the database or its log is no longer the file that was opened: SQLite goes on writing to a file that was removed, and
 * says nothing.
 */
export const stillInPlace = (where: string): (() => void) => {
  const paths = [where, `${where}-wal`]
  const opened = paths.map(identityOf)
  return () => {
    if (paths.some((path, n) => identityOf(path) !== opened[n])) throw new FileMoved("The file is not where it was.")
  }
}

const checkRuntime = (where: string): void => {
  const detail = oldNodeSentence(process.versions)
  if (detail !== undefined) throw new StoreNotOpened({ reason: "unsupported_runtime", where, detail })
}

const openOnce = (where: string): SqliteDatabase => {
  checkRuntime(where)
  checkWritable(where)
  const database = new Database(where, { timeout: 0 })
  try {
    identify(database, where)
    database.pragma("journal_mode = WAL")
    database.pragma("synchronous = FULL")
    database.pragma("foreign_keys = ON")
    // Large enough that a checkpoint is rare beside the commits, small enough that the log stays in the cache.
    database.pragma("wal_autocheckpoint = 4000")
    database.pragma("cache_size = -65536")
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
