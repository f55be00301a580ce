/**
 * Commits groups on the caller's thread. A disk sync blocks this thread; a lock of another process does not.
 */
import type { Database } from "better-sqlite3"
import { StoreUnavailable } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import type { ProductConnections } from "./productConnections.ts"
import { ownTransactionSentence } from "./productConnections.ts"
import { busyScheduleFor, makeLockWatch } from "./connection.ts"
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
      const lock = makeLockWatch(connections)
      /** Fails when an open transaction of the product on this thread may have the lock. */
      const failInOwnTransaction = (cause: unknown) =>
        isBusy(cause) && lock.isOwnTransaction()
          ? Effect.fail(new StoreUnavailable({ reason: "locked", detail: ownTransactionSentence, cause }))
          : Effect.void
      const group = yield* Effect.try({ try: () => transaction(writes), catch: (cause) => cause }).pipe(
        Effect.tapError(failInOwnTransaction),
        Effect.retry({ schedule, while: isBusy }),
        Effect.mapError((cause) => (cause instanceof StoreUnavailable ? cause : unavailable(cause)))
      )
      const lockMillis = lock.lockedMillis()
      return lockMillis === undefined ? group : { ...group, transaction: { ...group.transaction, lockMillis } }
    })
  return {
    batching: () => callerBatching,
    commit,
    dataVersion: Effect.try({ try: () => dataVersion.get() as number, catch: unavailable })
  }
}
