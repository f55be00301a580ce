/**
 * The two transactions of commits: many commits at once, with one statement for each kind of change, and one commit, change by change.
 */
import type { Change, ChangeOf, RefusedChange } from "@mailkeep/core/adapter"
import { changeOrder } from "@mailkeep/core/adapter"
import type { Connection, Database } from "../database.ts"
import { inWriteTransaction, settleAll } from "../database.ts"
import type { ApplySet } from "./changeSet.ts"
import type { SetTag } from "./changeSets.ts"
import { makeChangeSets } from "./changeSets.ts"
import { makeFindConflict } from "./conflicts.ts"
import { locksOfChanges, makeTakeLocks } from "./lockKeys.ts"
import { makeRewriteRecord } from "./rewriteRecord.ts"

export type Commit = ReadonlyArray<Change>

export interface CommitTransactions {
  /** Applies all commits, or none. Returns the indexes of the commits with a guard that does not hold: then none was applied. */
  readonly together: (commits: ReadonlyArray<Commit>) => Promise<ReadonlyArray<number>>
  /** Applies one commit. Returns the change whose guard does not hold, if any: then nothing was applied. */
  readonly alone: (commit: Commit) => Promise<RefusedChange | undefined>
}

/** Whether the commit is applied change by change. */
export const isAppliedAlone = (commit: Commit): boolean => commit.some(({ _tag }) => _tag === "RewriteRecord")

export const makeCommitTransactions = (
  database: Database,
  schema: string,
  afterChanges: (connection: Connection, changes: Commit) => Promise<unknown>
): CommitTransactions => {
  const sets = makeChangeSets(schema)
  const takeLocks = makeTakeLocks(schema)
  const findConflict = makeFindConflict(schema)
  const rewriteRecord = makeRewriteRecord(schema)
  const setOf = (tag: SetTag) => sets[tag] as ApplySet<Change>

  /** Sends the statements of all kinds without waiting for each. */
  const applySets = async (connection: Connection, commits: ReadonlyArray<Commit>): Promise<ReadonlyArray<number>> => {
    const changes = commits.flat()
    const owners = commits.flatMap((commit, owner) => commit.map(() => owner))
    const byTag = Map.groupBy(changes.keys(), (index) => changes[index]!._tag)
    const locked = takeLocks(connection, locksOfChanges(changes))
    const applied = changeOrder.flatMap((tag) => {
      const indexes = byTag.get(tag)
      if (indexes === undefined || tag === "RewriteRecord") return []
      const failing = setOf(tag)(
        connection,
        indexes.map((index) => changes[index]!)
      )
      return [failing.then((failed) => failed.map((at) => owners[indexes[at]!]!))]
    })
    const after = afterChanges(connection, changes)
    const [failing] = await settleAll<unknown>([settleAll(applied), locked, after])
    return [...new Set((failing as ReadonlyArray<ReadonlyArray<number>>).flat())]
  }

  const applyOne = async (connection: Connection, change: Change) => {
    if (change._tag === "RewriteRecord") return rewriteRecord(connection, change)
    const failing = await setOf(change._tag)(connection, [change])
    return failing.length === 0 ? undefined : findConflict(connection, change as ChangeOf<SetTag>)
  }

  const applyInOrder = async (connection: Connection, commit: Commit): Promise<RefusedChange | undefined> => {
    await takeLocks(connection, locksOfChanges(commit))
    for (const [at, change] of commit.entries()) {
      const reason = await applyOne(connection, change)
      if (reason !== undefined) return { at, reason }
    }
    await afterChanges(connection, commit)
    return undefined
  }

  return {
    together: (commits) =>
      inWriteTransaction(database, async (connection) => {
        const failing = await applySets(connection, commits)
        return { value: failing, isKept: failing.length === 0 }
      }),
    alone: (commit) =>
      inWriteTransaction(database, async (connection) => {
        const refused = await applyInOrder(connection, commit)
        return { value: refused, isKept: refused === undefined }
      })
  }
}
