/**
 * Commits groups on the caller's thread. A disk sync blocks this thread; a lock of another process does not.
 */
import type { Database } from "better-sqlite3"
import { StoreUnavailable } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import type { ProductConnections } from "./productConnections.ts"
import { ownTransactionMillis, ownTransactionSentence } from "./productConnections.ts"
import { busyScheduleFor } from "./connection.ts"
import type { GroupWriter } from "./groupCommit.ts"
import { makeGroupTransaction } from "./groupTransaction.ts"
import { monotonicMillis } from "./lockWait.ts"
import { isBusy } from "./resultCodes.ts"
import { unavailable } from "./sqliteFailure.ts"
import { groupWritesMax } from "./writes.ts"

/** Each batch is one transaction. */
export const callerBatching = { writesMax: groupWritesMax, isConcurrent: false } as const

/** `check` throws if the commit cannot be acknowledged, and otherwise returns the bytes of the write-ahead log. */
export const makeCallerWriter = (
  database: Database,
  check: () => number,
  connections: ProductConnections
): GroupWriter => {
  const transaction = makeGroupTransaction(database, check)
  const dataVersion = database.prepare("PRAGMA data_version").pluck()
  const commit: GroupWriter["commit"] = (writes, lockedUntil) =>
    Effect.gen(function* () {
      const schedule = busyScheduleFor(Math.max(0, lockedUntil - monotonicMillis()))
      let lockedSince: number | undefined
      /** Records since when the file is locked. Fails when an open transaction of the product on this thread may hold the lock. */
      const recordLock = (cause: unknown) =>
        Effect.suspend(() => {
          if (!isBusy(cause)) return Effect.void
          const now = monotonicMillis()
          lockedSince ??= now
          return now - lockedSince >= ownTransactionMillis && connections.hasTransaction()
            ? Effect.fail(new StoreUnavailable({ reason: "locked", detail: ownTransactionSentence, cause }))
            : Effect.void
        })
      const group = yield* Effect.try({ try: () => transaction(writes), catch: (cause) => cause }).pipe(
        Effect.tapError(recordLock),
        Effect.retry({ schedule, while: isBusy }),
        Effect.mapError((cause) => (cause instanceof StoreUnavailable ? cause : unavailable(cause)))
      )
      if (lockedSince === undefined) return group
      const lockMillis = monotonicMillis() - lockedSince
      return { ...group, transaction: { ...group.transaction, lockMillis } }
    })
  return {
    batching: () => callerBatching,
    commit,
    dataVersion: Effect.try({ try: () => dataVersion.get() as number, catch: unavailable })
  }
}
