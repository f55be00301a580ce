/**
 * Commits on the caller's thread until the commit thread has started. That takes a tenth of a second, for which the first send of a program need not
 * wait. A lock is always waited for on the commit thread. Source: docs/decisions/0053-commit-thread.md.
 */
import type { Database } from "better-sqlite3"
import { Effect } from "effect"
import { callerBatching } from "../callerWriter.ts"
import type { GroupWriter } from "../groupCommit.ts"
import { makeGroupTransaction } from "../groupTransaction.ts"
import { isBusy } from "../resultCodes.ts"
import { unavailable } from "../sqliteFailure.ts"
import type { CommitThread } from "./commitThread.ts"

/** `check` throws if the commit cannot be acknowledged, and otherwise returns the bytes of the write-ahead log. */
export const makeStartingWriter = (database: Database, check: () => number, thread: CommitThread): GroupWriter => {
  const transaction = makeGroupTransaction(database, check)
  let onlyReads = false
  const commit: GroupWriter["commit"] = (writes, lockedUntil) =>
    Effect.suspend(() => {
      if (!thread.hasStarted())
        return Effect.catch(Effect.try({ try: () => transaction(writes), catch: (cause) => cause }), (cause) =>
          isBusy(cause) ? thread.commit(writes, lockedUntil) : Effect.fail(unavailable(cause))
        )
      if (!onlyReads) database.pragma("query_only = ON")
      onlyReads = true
      return thread.commit(writes, lockedUntil)
    })
  const batching: GroupWriter["batching"] = () => (thread.hasStarted() ? thread.batching() : callerBatching)
  return { batching, commit, dataVersion: thread.dataVersion }
}
