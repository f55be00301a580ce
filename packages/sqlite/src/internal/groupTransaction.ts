/**
 * Runs many writes in one transaction, each in its own savepoint. Loads no Effect, because the commit thread runs it too.
 */
import type { Database } from "better-sqlite3"
import { prepared } from "./recordTable.ts"
import { reasonOf } from "./resultCodes.ts"
import type { Write, Written } from "./writes.ts"
import { runWrite } from "./writes.ts"

/** The result of one write, or a bug in it. */
export type Outcome = Written | { readonly defect: unknown }

/** A group whose transaction was committed and synced. */
export interface CommittedGroup {
  /** One outcome for each write, in the same order. */
  readonly outcomes: ReadonlyArray<Outcome>
  /** The size of the write-ahead log. */
  readonly logBytes: number
  /** How long the transaction waited for the write lock. */
  readonly lockNanos: number
  /** How long the `COMMIT` took, with its disk sync. */
  readonly syncNanos: number
}

/** Commits one group. When it throws, nothing of the group was kept, or the result is unknown. */
export type GroupTransaction = (writes: ReadonlyArray<Write>) => CommittedGroup

/** `check` throws if the commit cannot be acknowledged, and otherwise returns the bytes of the write-ahead log. */
export const makeGroupTransaction = (database: Database, check: () => number): GroupTransaction => {
  const connection = prepared(database)
  const statement = (sql: string) => database.prepare<[]>(sql)
  const [begin, commit, rollback] = [statement("BEGIN IMMEDIATE"), statement("COMMIT"), statement("ROLLBACK")]
  const [savepoint, release, rollbackTo] = [
    statement("SAVEPOINT one"),
    statement("RELEASE one"),
    statement("ROLLBACK TO one")
  ]

  /** A bug in a write undoes only this write. A disk failure is thrown again and undoes the whole group. */
  const runOne = (write: Write): Outcome => {
    savepoint.run()
    try {
      const written = runWrite(connection, write)
      if ("refused" in written) rollbackTo.run()
      release.run()
      return written
    } catch (cause) {
      if (reasonOf(cause) !== undefined) throw cause
      rollbackTo.run()
      release.run()
      return { defect: cause }
    }
  }

  const nanosOf = (run: () => void): number => {
    const startedNanos = process.hrtime.bigint()
    run()
    return Number(process.hrtime.bigint() - startedNanos)
  }

  return (writes) => {
    const lockNanos = nanosOf(() => begin.run())
    try {
      const outcomes = writes.map(runOne)
      const syncNanos = nanosOf(() => commit.run())
      return { outcomes, logBytes: check(), lockNanos, syncNanos }
    } catch (cause) {
      if (database.inTransaction) rollback.run()
      throw cause
    }
  }
}
