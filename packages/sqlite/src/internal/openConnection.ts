/**
 * Opens one connection for writing: checks the version of the file, migrates the schema, and checks that commits are synced.
 * Loads no Effect, because the commit thread opens its connection with it.
 */
import { accessSync, closeSync, constants, existsSync, openSync, readlinkSync, realpathSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import type { Database as SqliteDatabase, Options } from "better-sqlite3"
import Database from "better-sqlite3"
import { oldNodeSentence } from "../nodeVersion.ts"
import { checkVersion, migrate } from "./migrations.ts"
import { NotOpened } from "./notOpened.ts"

/** The first version with the fix for a race in the reset of the write-ahead log. */
const sqliteVersionMin = [3, 51, 3]

/** `EXTRA` is 3, and durable too. */
export const synchronousFull = 2

/** SQLite truncates the log to this size when it restarts the log: 4,000 pages of 4 KiB. */
const logBytesKept = 4000 * 4096

/** Whether this version of SQLite can damage a file. */
export const isOldVersion = (text: string): boolean => {
  const parts = text.split(".").map(Number)
  const difference = sqliteVersionMin.map((min, index) => (parts[index] ?? 0) - min).find((part) => part !== 0)
  return difference !== undefined && difference < 0
}

/**
 * Reads the settings after the write of the migration, because SQLite reports another value after the first write than before.
 * See docs/decisions/0005-durability.md.
 */
const proveDurable = (database: SqliteDatabase): void => {
  const { version } = database.prepare("SELECT sqlite_version() AS version").get() as { readonly version: string }
  const journal = database.pragma("journal_mode", { simple: true })
  const synchronous = database.pragma("synchronous", { simple: true })
  if (journal !== "wal" || synchronous !== synchronousFull || isOldVersion(version))
    throw new NotOpened("not_durable", {
      cause: `journal_mode=${String(journal)} synchronous=${String(synchronous)} sqlite=${version}`
    })
}

/** SQLite opens a temporary database for an empty path, and so does the driver for a missing one. A program without types can give any value. */
const checkPath = (where: unknown): void => {
  if (where === ":memory:")
    throw new NotOpened("not_durable", {
      detail: "A database in memory loses all mail. Give the path of a file, or use the store of @mailkeep/memory"
    })
  if (typeof where !== "string" || where === "")
    throw new NotOpened("not_durable", {
      detail: "The store needs the path of a file. The environment variable with the path may not be set"
    })
  // The driver would open another path: it trims white space, as of a line that was read from a file, and ends the path at a null character.
  if (where.trim() !== where || where.includes("\0"))
    throw new NotOpened("not_a_database", {
      detail:
        "The path of the file begins or ends with white space, or contains a null character. Give the path without it"
    })
}

/** Says what to do about a file that the process may not write. Returns `undefined` for an unknown cause. Without a full stop. */
export const unwritableSentence = (cause: unknown): string | undefined => {
  const { code } = cause as NodeJS.ErrnoException
  if (code === "EROFS") return "The file system of the file is read-only. Mount it so that the process may write"
  if (code === "EACCES" || code === "EPERM")
    return "The user of the process may not read and write the file. Give the file to this user"
  return undefined
}

/** SQLite opens a file without write permission as a read-only file, and reports this only at the first write. */
const checkWritable = (where: string): void => {
  if (!existsSync(where)) return
  if (statSync(where).isDirectory()) throw new NotOpened("not_a_database", { detail: "The path is that of a folder" })
  try {
    accessSync(where, constants.R_OK | constants.W_OK)
  } catch (cause) {
    const detail = unwritableSentence(cause)
    throw new NotOpened("read_only", { ...(detail !== undefined && { detail }), cause })
  }
}

/** Only the owner may read and write the files of a store. SQLite gives the log the mode of the database file. */
const privateMode = 0o600

/** The number of links that Linux follows. */
const linksMax = 40

/** Where the symbolic links of a path lead. Nothing needs to exist there. */
const targetOf = (where: string): string => {
  let target = where
  for (let links = 0; links < linksMax; links++)
    try {
      target = resolve(realpathSync(dirname(target)), readlinkSync(target))
    } catch {
      // The path is no link.
      break
    }
  return target
}

/**
 * Creates an empty file if none exists, because SQLite would use the umask of the process. Does not change the mode of
 * an existing file. Creates a file only at a path that is free, and a symbolic link takes its own path.
 */
const createPrivate = (where: string): void => {
  if (existsSync(where)) return
  try {
    closeSync(openSync(targetOf(where), "wx", privateMode))
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException
    if (code === "ENOENT")
      throw new NotOpened("unreachable", { detail: "The folder of the file does not exist", cause })
    if (["EACCES", "EPERM", "EROFS"].includes(code))
      throw new NotOpened("read_only", { detail: "The process may not create a file in the folder", cause })
    // SQLite is native code that these permissions do not stop. It would create the file, and other users could read it.
    if (code === "ERR_ACCESS_DENIED")
      throw new NotOpened("read_only", {
        detail: "The process may not create the file. With node --permission, add --allow-fs-write",
        cause
      })
    // Another process created the file first, or SQLite reports the problem with the path.
  }
}

const checkRuntime = (): void => {
  const detail = oldNodeSentence(process.versions)
  if (detail !== undefined) throw new NotOpened("unsupported_runtime", { detail })
}

/** Returns a sentence without a full stop if Node cannot load the native module of better-sqlite3, otherwise `undefined`. */
const nativeModuleSentence = (cause: unknown): string | undefined => {
  const { code } = cause as NodeJS.ErrnoException
  if (code === "ERR_DLOPEN_DISABLED")
    return "The process may not load the native module of better-sqlite3. With node --permission, add --allow-addons"
  // A bundle as an ES module has no `__dirname`.
  if (code === "ERR_DLOPEN_FAILED" || code === "MODULE_NOT_FOUND" || cause instanceof ReferenceError)
    return `The native module of better-sqlite3 for ${process.platform}-${process.arch} cannot be loaded. Install the package on this system. Mark it as external in your bundler, because a bundle cannot open the store`
  return undefined
}

const newDatabase = (where: string, options: Options): SqliteDatabase => {
  try {
    return new Database(where, options)
  } catch (cause) {
    const detail = nativeModuleSentence(cause)
    throw detail === undefined ? cause : new NotOpened("unsupported_runtime", { detail, cause })
  }
}

/**
 * Throws `NotOpened`, or the `SqliteError`. Creates the file if it does not exist, unless `fileMustExist`. Refuses `:memory:`, which is not
 * durable; use `@mailkeep/memory` instead. With `timeout`, the connection waits so many milliseconds for a lock, and blocks its thread meanwhile.
 */
export const openConnection = (
  where: string,
  { timeout = 0, fileMustExist = false }: Pick<Options, "timeout" | "fileMustExist"> = {}
): SqliteDatabase => {
  checkRuntime()
  checkPath(where)
  checkWritable(where)
  if (!fileMustExist) createPrivate(where)
  const database = newDatabase(where, { timeout, fileMustExist })
  try {
    // Before anything is written.
    checkVersion(database)
    database.pragma("journal_mode = WAL")
    database.pragma("synchronous = FULL")
    database.pragma("foreign_keys = ON")
    // Large, so that checkpoints are rare compared with commits, but small, so that the log stays in the cache.
    database.pragma("wal_autocheckpoint = 4000")
    // The log grows while a reader uses an old state. Afterwards it shrinks to its usual size between two checkpoints.
    database.pragma(`journal_size_limit = ${logBytesKept}`)
    // In KiB, for each connection. The system caches the file once for all of them.
    database.pragma("cache_size = -4096")
    migrate(database)
    proveDurable(database)
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}
