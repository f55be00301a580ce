/**
 * Runs many writes in one transaction. Loads no Effect, because the commit thread runs it too.
 */
import type { Database } from "better-sqlite3"
import type { Prepared } from "./recordTable.ts"
import { prepared } from "./recordTable.ts"
import { reasonOf } from "./resultCodes.ts"
import type { Write, Written } from "./writes.ts"
import { mayHaveWritten, runWrite } from "./writes.ts"

/** The result of one write, or a bug in it. */
export type Outcome = Written | { readonly defect: unknown }

/** Measurements of a transaction that was committed and synced. */
export interface Transaction {
  /** The number of writes in it. */
  readonly writes: number
  /** The size of the write-ahead log. */
  readonly logBytes: number
  /** How long the transaction waited for the write lock. */
  readonly lockMillis: number
  /** How long the `COMMIT` took, with its disk sync. */
  readonly syncNanos: number
}

/** A group whose transaction was committed and synced. */
export interface CommittedGroup {
  /** One outcome for each write, in the same order. */
  readonly outcomes: ReadonlyArray<Outcome>
  readonly transaction: Transaction
}

/** Commits one group. When it throws, nothing of the group was kept, or the result is unknown. */
export type GroupTransaction = (writes: ReadonlyArray<Write>) => CommittedGroup

const nanosPerMilli = 1e6

const nanosOf = (run: () => void): number => {
  const startedNanos = process.hrtime.bigint()
  run()
  return Number(process.hrtime.bigint() - startedNanos)
}

/**
 * Runs the writes one after the other without savepoints, because a savepoint costs about as much as a small write. Returns `undefined` when
 * a write must be undone and the others must not.
 */
const runTogether = (connection: Prepared, writes: ReadonlyArray<Write>): ReadonlyArray<Outcome> | undefined => {
  const outcomes: Array<Outcome> = []
  for (const write of writes) {
    try {
      const written = runWrite(connection, write)
      if ("refused" in written && mayHaveWritten(write, written.refused)) return undefined
      outcomes.push(written)
    } catch (cause) {
      if (reasonOf(cause) !== undefined) throw cause
      return undefined
    }
  }
  return outcomes
}

/** Runs each write in a savepoint of its own. A bug in a write undoes only this write. A disk failure is thrown again and undoes the whole group. */
const makeRunApart = (connection: Prepared) => {
  const statement = (sql: string) => connection.database.prepare<[]>(sql)
  const [savepoint, release, rollbackTo] = [
    statement("SAVEPOINT one"),
    statement("RELEASE one"),
    statement("ROLLBACK TO one")
  ]
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
  return (writes: ReadonlyArray<Write>): ReadonlyArray<Outcome> => writes.map(runOne)
}

/**
 * Runs the writes without savepoints first. When one of them must be undone, rolls the transaction back. Then runs all of them again, each in
 * a savepoint. `check` throws if the files are not those that were opened, and otherwise returns the bytes of the write-ahead log. It runs before the
 * first write, which could damage the commits of another process, and before the commit is acknowledged.
 */
export const makeGroupTransaction = (database: Database, check: () => number): GroupTransaction => {
  const connection = prepared(database)
  const statement = (sql: string) => database.prepare<[]>(sql)
  const [begin, commit, rollback] = [statement("BEGIN IMMEDIATE"), statement("COMMIT"), statement("ROLLBACK")]
  const runApart = makeRunApart(connection)

  /** Runs the writes in one transaction, and commits it unless `run` returns `undefined`. */
  const inTransaction = (
    writes: ReadonlyArray<Write>,
    run: (writes: ReadonlyArray<Write>) => ReadonlyArray<Outcome> | undefined
  ): CommittedGroup | undefined => {
    const lockMillis = Math.floor(nanosOf(() => begin.run()) / nanosPerMilli)
    try {
      check()
      const outcomes = run(writes)
      if (outcomes === undefined) {
        rollback.run()
        return undefined
      }
      const syncNanos = nanosOf(() => commit.run())
      return { outcomes, transaction: { writes: writes.length, logBytes: check(), lockMillis, syncNanos } }
    } catch (cause) {
      if (database.inTransaction) rollback.run()
      throw cause
    }
  }

  return (writes) => inTransaction(writes, (all) => runTogether(connection, all)) ?? inTransaction(writes, runApart)!
}
