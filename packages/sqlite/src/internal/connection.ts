/**
 * Opens and closes the connection of the caller's thread.
 */
import { StoreNotOpened } from "@mailkeep/core/adapter"
import type { Database as SqliteDatabase } from "better-sqlite3"
import { SqliteError } from "better-sqlite3"
import { Effect, Schedule } from "effect"
import type { Scope } from "effect"
import { lockMillis, monotonicMillis } from "./lockWait.ts"
import { NotOpened } from "./notOpened.ts"
import { openConnection } from "./openConnection.ts"
import type { ProductConnections } from "./productConnections.ts"
import { openedInTransactionSentence, ownTransactionMillis } from "./productConnections.ts"
import { codeOf, damagedSentence, isBusy, isDamaged, reasonOf } from "./resultCodes.ts"

/** Waits for a lock on the event loop, so many milliseconds in all. SQLite's own wait would block every fiber. */
export const busyScheduleFor = (millis: number) =>
  Schedule.min([Schedule.exponential("2 millis"), Schedule.spaced("50 millis")]).pipe(
    Schedule.jittered,
    Schedule.upTo({ duration: millis })
  )

/** The wait of a read and of the opening. */
export const busySchedule = busyScheduleFor(lockMillis)

/** Watches the lock that a call on the caller's thread waits for. */
export const makeLockWatch = (connections: ProductConnections) => {
  let lockedSince: number | undefined
  return {
    /** Call it after each try that met the lock. Returns whether an open transaction of the product on this thread may have the lock, so that no wait helps. */
    isOwnTransaction: (): boolean => {
      const now = monotonicMillis()
      lockedSince ??= now
      return now - lockedSince >= ownTransactionMillis && connections.hasTransaction()
    },
    /** How long the file has been locked, or `undefined` if no try met a lock. */
    lockedMillis: (): number | undefined => (lockedSince === undefined ? undefined : monotonicMillis() - lockedSince)
  }
}

/** SQLite reports the same for a lock of another process and for a file system that refuses each lock (`ENOLCK`). */
const lockedSentence =
  "Another process has locked the store, or its file system has no locks, as some network file systems"

/** The log of SQLite needs memory that processes share, such as that of a file that is mapped into it. Network file systems may not have it. */
const noSharedMemorySentence =
  "The file system of the file cannot share memory between processes, as some network file systems. Put the file on a disk of this machine"

const isOfSharedMemory = (cause: unknown): boolean => codeOf(cause) === "SQLITE_IOERR_SHMMAP"

/** Says why a file was not opened, and what to do. */
export const notOpened = (cause: unknown, where: string): StoreNotOpened => {
  if (cause instanceof NotOpened) {
    const { reason, detail } = cause
    return new StoreNotOpened({ reason, where, ...(detail === undefined ? {} : { detail }), cause: cause.cause })
  }
  if (cause instanceof SqliteError && cause.code === "SQLITE_NOTADB")
    return new StoreNotOpened({ reason: "not_a_database", where, cause })
  if (isDamaged(cause)) return new StoreNotOpened({ reason: "not_a_database", where, detail: damagedSentence, cause })
  const reason = reasonOf(cause) ?? "unreachable"
  const unknown = reason === "unreachable" && cause instanceof Error
  const unknownSentence = unknown ? `The store cannot be opened (${cause.message})` : undefined
  const detail = isOfSharedMemory(cause)
    ? noSharedMemorySentence
    : reason === "locked"
      ? lockedSentence
      : unknownSentence
  return new StoreNotOpened({ reason, where, ...(detail !== undefined && { detail }), cause })
}

/** Opens the connection; the scope closes it. Can be interrupted while it waits for a lock. Does not wait for the product's own transaction. */
export const openDatabase = (
  where: string,
  connections: ProductConnections
): Effect.Effect<SqliteDatabase, StoreNotOpened, Scope.Scope> =>
  Effect.suspend(() => {
    const lock = makeLockWatch(connections)
    return Effect.acquireRelease(
      Effect.try({ try: () => openConnection(where), catch: (cause) => notOpened(cause, where) }),
      (database) => Effect.sync(() => database.close())
    ).pipe(
      Effect.tapError(({ cause }) =>
        isBusy(cause) && lock.isOwnTransaction()
          ? Effect.fail(new StoreNotOpened({ reason: "locked", where, detail: openedInTransactionSentence }))
          : Effect.void
      ),
      Effect.retry({ schedule: busySchedule, while: ({ cause }) => isBusy(cause) })
    )
  })
