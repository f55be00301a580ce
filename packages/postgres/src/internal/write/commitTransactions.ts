/**
 * The two transactions of commits: many commits at once, with one statement for each kind of change, and one commit, change by change.
 */
import type { Change, ChangeTag, RefusedChange } from "@mailkeep/core/adapter"
import { changeOrder, recordKeyOf } from "@mailkeep/core/adapter"
import type { Connection, Database } from "../database.ts"
import { settleAll } from "../database.ts"
import { isFailedCondition } from "../sqlStates.ts"
import type { LockWait } from "../transactions.ts"
import { inWriteTransaction, writeAtOnce } from "../transactions.ts"
import type { ApplySet } from "./applySet.ts"
import { sendAll } from "./applySet.ts"
import type { ChangeSets } from "./changeSets.ts"
import { makeChangeSets } from "./changeSets.ts"
import { makeFindConflict } from "./conflicts.ts"
import { locksOfChanges, makeTakeLocks } from "./lockKeys.ts"

export type Commit = ReadonlyArray<Change>

export interface CommitTransactions {
  /** Applies all commits, or none. Returns the indexes of the commits with a guard that does not hold: then none was applied. */
  readonly together: (commits: ReadonlyArray<Commit>, lockWait: LockWait) => Promise<ReadonlyArray<number>>
  /** Applies one commit. Returns the change whose guard does not hold, if any: then nothing was applied. */
  readonly alone: (commit: Commit, lockWait: LockWait) => Promise<RefusedChange | undefined>
}

/** Does something of its own in the transaction of each commit. */
export interface CommitStep {
  /** Sends its statements before it returns. */
  readonly run: (connection: Connection) => Promise<unknown>
  /** The same. Where `run` would reject because of what it has read, the server fails, and the transaction with it. */
  readonly runOrFail: (connection: Connection) => Promise<unknown>
}

export const noStep: CommitStep = { run: () => Promise.resolve(), runOrFail: () => Promise.resolve() }

/** The changes of one kind, and the number of the commit of each. */
interface Part {
  readonly set: ApplySet<Change>
  readonly changes: ReadonlyArray<Change>
  readonly owners: ReadonlyArray<number>
}

const setOf = (sets: ChangeSets, tag: ChangeTag) => sets[tag] as ApplySet<Change>

/**
 * The parts in the order in which they are applied. The changes of each part have the order of the keys of their records, as those of one commit
 * have. So two groups that write the same records do not have a record each for which the other waits.
 */
const partsOf = (sets: ChangeSets, commits: ReadonlyArray<Commit>): ReadonlyArray<Part> => {
  const owned = commits
    .flatMap((commit, owner) => commit.map((change) => ({ change, owner, key: recordKeyOf(change) })))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
  const byTag = Map.groupBy(owned, ({ change }) => change._tag)
  return changeOrder.flatMap((tag) => {
    const own = byTag.get(tag)
    if (own === undefined) return []
    return [{ set: setOf(sets, tag), changes: own.map(({ change }) => change), owners: own.map(({ owner }) => owner) }]
  })
}

export const makeCommitTransactions = (
  database: Database,
  schema: string,
  lastStep: CommitStep
): CommitTransactions => {
  const sets = makeChangeSets(schema)
  const takeLocks = makeTakeLocks(schema)
  const findConflict = makeFindConflict(schema)

  /** Sends the statements of all kinds without waiting for each. Returns the commits with a guard that does not hold. */
  const applyParts = async (connection: Connection, parts: ReadonlyArray<Part>): Promise<ReadonlyArray<number>> => {
    const locked = takeLocks(connection, locksOfChanges(parts.flatMap(({ changes }) => changes)))
    const applied = parts.map(async ({ set, changes, owners }) => {
      const failing = await set.apply(connection, changes)
      return failing.map((at) => owners[at]!)
    })
    const [failing] = await settleAll([settleAll(applied), locked, lastStep.run(connection)])
    return [...new Set(failing.flat())]
  }

  /**
   * Sends the whole transaction at once, its end too, so that it keeps no lock while it waits for this process. Returns whether all guards held:
   * otherwise the server has undone the transaction. Source: decision 0094.
   */
  const applyAtOnce = async (parts: ReadonlyArray<Part>, lockWait: LockWait): Promise<boolean> => {
    if (parts.some(({ set }) => set.applyOrFail === undefined)) return false
    const locks = locksOfChanges(parts.flatMap(({ changes }) => changes))
    const sends = parts.map(({ set, changes }) => set.applyOrFail!(changes))
    const send = sendAll([(connection) => takeLocks(connection, locks), ...sends, lastStep.runOrFail])
    try {
      await writeAtOnce(database, send, lockWait)
      return true
    } catch (cause) {
      if (isFailedCondition(cause)) return false
      throw cause
    }
  }

  const applyOne = async (connection: Connection, change: Change) => {
    const failing = await setOf(sets, change._tag).apply(connection, [change])
    return failing.length === 0 ? undefined : findConflict(connection, change)
  }

  const applyInOrder = async (connection: Connection, commit: Commit): Promise<RefusedChange | undefined> => {
    await takeLocks(connection, locksOfChanges(commit))
    for (const [at, change] of commit.entries()) {
      const reason = await applyOne(connection, change)
      if (reason !== undefined) return { at, reason }
    }
    await lastStep.run(connection)
    return undefined
  }

  return {
    together: async (commits, lockWait) => {
      const parts = partsOf(sets, commits)
      if (await applyAtOnce(parts, lockWait)) return []
      const applied = async (connection: Connection) => {
        const failing = await applyParts(connection, parts)
        return { value: failing, isKept: failing.length === 0 }
      }
      return inWriteTransaction(database, applied, lockWait)
    },
    alone: (commit, lockWait) => {
      const applied = async (connection: Connection) => {
        const refused = await applyInOrder(connection, commit)
        return { value: refused, isKept: refused === undefined }
      }
      return inWriteTransaction(database, applied, lockWait)
    }
  }
}
