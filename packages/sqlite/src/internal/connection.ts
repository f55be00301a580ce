/**
 * Opens and closes the connection of the caller's thread.
 */
import { StoreNotOpened } from "@mailkeep/core/adapter"
import type { Database as SqliteDatabase } from "better-sqlite3"
import { SqliteError } from "better-sqlite3"
import { Effect, Schedule } from "effect"
import type { Scope } from "effect"
import { lockMillis } from "./lockWait.ts"
import { NotOpened } from "./notOpened.ts"
import { openConnection } from "./openConnection.ts"
import { damagedSentence, isBusy, isDamaged, reasonOf } from "./resultCodes.ts"

/** Waits for a lock on the event loop, so many milliseconds in all. SQLite's own wait would block every fiber. */
export const busyScheduleFor = (millis: number) =>
  Schedule.min([Schedule.exponential("2 millis"), Schedule.spaced("50 millis")]).pipe(
    Schedule.jittered,
    Schedule.upTo({ duration: millis })
  )

/** The wait of a read and of the opening. */
export const busySchedule = busyScheduleFor(lockMillis)

const notOpened = (cause: unknown, where: string): StoreNotOpened => {
  if (cause instanceof NotOpened) {
    const { reason, detail } = cause
    return new StoreNotOpened({ reason, where, ...(detail === undefined ? {} : { detail }), cause: cause.cause })
  }
  if (cause instanceof SqliteError && cause.code === "SQLITE_NOTADB")
    return new StoreNotOpened({ reason: "not_a_database", where, cause })
  if (isDamaged(cause)) return new StoreNotOpened({ reason: "not_a_database", where, detail: damagedSentence, cause })
  const reason = reasonOf(cause) ?? "unreachable"
  const unknown = reason === "unreachable" && cause instanceof Error
  return new StoreNotOpened({
    reason,
    where,
    ...(unknown && { detail: `The store cannot be opened (${cause.message})` }),
    cause
  })
}

/** Opens the connection; the scope closes it. Can be interrupted while it waits for a lock. */
export const openDatabase = (where: string): Effect.Effect<SqliteDatabase, StoreNotOpened, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({ try: () => openConnection(where), catch: (cause) => notOpened(cause, where) }),
    (database) => Effect.sync(() => database.close())
  ).pipe(Effect.retry({ schedule: busySchedule, while: ({ cause }) => isBusy(cause) }))
