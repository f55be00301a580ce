/**
 * Commits groups on the caller's thread. A disk sync blocks this thread; a lock of another process does not.
 */
import type { Database } from "better-sqlite3"
import { Clock, Effect } from "effect"
import { busySchedule } from "./connection.ts"
import type { GroupWriter } from "./groupCommit.ts"
import { makeGroupTransaction } from "./groupTransaction.ts"
import { isBusy } from "./resultCodes.ts"
import { unavailable } from "./sqliteFailure.ts"

const nanosPerMilli = 1e6

/** `check` throws if the commit cannot be acknowledged, and otherwise returns the bytes of the write-ahead log. */
export const makeCallerWriter = (database: Database, check: () => number): GroupWriter => {
  const transaction = makeGroupTransaction(database, check)
  const dataVersion = database.prepare("PRAGMA data_version").pluck()
  const commit: GroupWriter["commit"] = (writes) =>
    Effect.gen(function* () {
      let lockedSince: number | undefined
      const noteLock = (cause: unknown) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          if (isBusy(cause)) lockedSince ??= now
        })
      const group = yield* Effect.try({ try: () => transaction(writes), catch: (cause) => cause }).pipe(
        Effect.tapError(noteLock),
        Effect.retry({ schedule: busySchedule, while: isBusy }),
        Effect.mapError(unavailable)
      )
      if (lockedSince === undefined) return group
      return { ...group, lockNanos: ((yield* Clock.currentTimeMillis) - lockedSince) * nanosPerMilli }
    })
  return { commit, dataVersion: Effect.try({ try: () => dataVersion.get() as number, catch: unavailable }) }
}
