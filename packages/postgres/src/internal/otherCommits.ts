/**
 * Reports the commits of other processes. Each commit takes a number of a sequence, and a process compares the numbers with those that it took
 * itself. A notification only makes the next comparison sooner. Source: decision 0074.
 */
import type { Latch, Scope } from "effect"
import { Effect, Stream } from "effect"
import pg from "pg"
import type { Connection, Database } from "./database.ts"
import { schemaVersion } from "./migrations.ts"
import { attemptRead } from "./runStatements.ts"
import type { TableVersion } from "./tableVersion.ts"
import { makeVersionCheck, versionColumns, versionSource } from "./tableVersion.ts"
import { failUnless } from "./sqlStates.ts"
import type { CommitStep } from "./write/commitTransactions.ts"

/** Counts the commits of this process and of others. */
export interface CommitCount {
  /** Takes the next number of the sequence, in the transaction of a commit. Fails if this program cannot use the tables. */
  readonly take: CommitStep
  /** How many numbers other processes have taken, or fewer while this process takes one. */
  readonly others: () => Promise<number>
}

/**
 * Makes the commit wait for the disk of the server, also on a connection on which the product or an operator has turned that off after the store was
 * opened. A stricter setting stays.
 */
const syncedSql = `CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END AS synced`

/** `isSynced`: no commit is acknowledged before it is on the disk of the server. */
export const makeCommitCount = (database: Database, schema: string, isSynced: boolean): CommitCount => {
  const { check, isUsable } = makeVersionCheck(schema, schemaVersion)
  const takeSql = (columns: string) =>
    `SELECT nextval(${pg.escapeLiteral(`${schema}.commits`)}), ${columns}${isSynced ? `, ${syncedSql}` : ""} FROM ${versionSource(schema)}`
  const [versionedSql, orFailSql] = [takeSql(versionColumns), takeSql(failUnless(isUsable))]
  const lastSql = `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last FROM ${schema}.commits`
  let own = 0
  let underWay = 0
  const take = async (connection: Connection, sql: string): Promise<TableVersion | undefined> => {
    underWay++
    try {
      const [row] = await connection.prepared<TableVersion>(sql)
      own++
      return row
    } finally {
      underWay--
    }
  }
  return {
    take: {
      run: async (connection) => check(await take(connection, versionedSql)),
      runOrFail: (connection) => take(connection, orFailSql)
    },
    others: () =>
      database.use(async (connection) => {
        const [row] = await connection.prepared<{ readonly last: number }>(lastSql)
        return row!.last - own - underWay
      })
  }
}

/** The time between two emissions. Each one makes every loop of the process look for work, and a busy process commits hundreds of times in a second. */
const emissionMillisMin = 50
const pollMillisMin = 100
const pollMillisMax = 1000

/**
 * The count can be a little lower than before, while this process takes numbers. If it is lower by more, the sequence was set back: a standby that lacks the
 * last commits has become the primary. The next count is compared with the lower one.
 */
const underWayMax = 16

/** The count with which the next one is compared. */
const seenAfter = (now: number, seen: number | undefined): number =>
  seen === undefined || now < seen - underWayMax ? now : Math.max(now, seen)

/**
 * Emits after commits of other processes. Asks for the count sooner after a commit and after `hint` opens, and otherwise once in a second. Emits again
 * for about 1.7 s, because a number is taken before its commit can be read: the disk or a standby can delay the commit. All readers share one poll.
 */
export const makeOtherCommits = (
  count: CommitCount,
  hint: Latch.Latch
): Effect.Effect<Stream.Stream<void>, never, Scope.Scope> => {
  const others = Effect.orElseSucceed(attemptRead(count.others), () => undefined)
  return Effect.gen(function* () {
    let seen = yield* others
    let isRepeated = false
    let hasEmitted = false
    let millis = pollMillisMin
    const next = Effect.gen(function* () {
      if (hasEmitted) yield* Effect.sleep(emissionMillisMin)
      hasEmitted = true
      while (true) {
        yield* Effect.timeoutOption(hint.await, millis)
        yield* hint.close
        const now = yield* others
        const isChanged = now !== undefined && seen !== undefined && now > seen
        const isEmitted = isChanged || isRepeated
        if (now !== undefined) seen = seenAfter(now, seen)
        millis = isChanged ? pollMillisMin : Math.min(pollMillisMax, 2 * millis)
        isRepeated = isEmitted && millis < pollMillisMax
        if (isEmitted) return
      }
    })
    return yield* Stream.share(Stream.fromEffectRepeat(next), { capacity: 1, strategy: "sliding" })
  })
}
