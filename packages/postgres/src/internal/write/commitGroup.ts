/**
 * Commits one group: all commits in one transaction. If a guard of the group does not hold, commits the others again without the commits that
 * failed, and each of these alone.
 */
import type { Change, RefusedChange, StoreUnavailable } from "@mailkeep/core/adapter"
import { Conflict } from "@mailkeep/core/adapter"
import { Effect, Exit } from "effect"
import { defectOf, unavailableOf } from "../postgresFailure.ts"
import { attempt, isLost } from "../runStatements.ts"
import { isFaultOfServer, isLockTimeout, isRaised, isRepeatable } from "../sqlStates.ts"
import type { LockWait } from "../transactions.ts"
import type { Commit, CommitTransactions } from "./commitTransactions.ts"

export type CommitExit = Exit.Exit<void, Conflict | StoreUnavailable>

const refusedExit = (commit: Commit, { at, reason }: RefusedChange): CommitExit =>
  Exit.fail(new Conflict({ at, change: commit[at]!._tag, reason }))

const failedExit = (cause: unknown): CommitExit => {
  const failure = unavailableOf(cause)
  return failure === undefined ? Exit.die(defectOf(cause)) : Exit.fail(failure)
}

type Numbered = readonly [index: number, commit: Commit]

/** How a group is committed. */
interface GroupRun {
  /** With `1s`, a commit that does not get a lock in time has no exit. With `5s`, the commit is repeated. */
  readonly lockWait: LockWait
  readonly finish: (index: number, exit: CommitExit) => void
}

/** The commit did not get a lock in the short time. The server has undone it, and it can be committed again with the long one. */
const isBlocked = (cause: unknown, lockWait: LockWait): boolean => lockWait === "1s" && isLockTimeout(cause)

/** Returns the exits of the commits, in the same order. A commit that was not applied within a short wait for its locks has none. */
export const makeCommitGroup = (
  { together, alone }: CommitTransactions,
  afterCommit: (changes: ReadonlyArray<Change>) => void
) => {
  const commitAlone = ([index, commit]: Numbered, { lockWait, finish }: GroupRun): Effect.Effect<void> =>
    Effect.match(
      attempt(
        () => alone(commit, lockWait),
        (cause) => isLost(cause) && !isBlocked(cause, lockWait)
      ),
      {
        onFailure: (cause) => {
          if (!isBlocked(cause, lockWait)) finish(index, failedExit(cause))
        },
        onSuccess: (refused) => {
          if (refused !== undefined) return finish(index, refusedExit(commit, refused))
          afterCommit(commit)
          finish(index, Exit.void)
        }
      }
    )

  const commitAll = (commits: ReadonlyArray<Numbered>, run: GroupRun): Effect.Effect<void> =>
    Effect.gen(function* () {
      if (commits.length === 0) return
      const { lockWait, finish } = run
      const [first] = commits as readonly [Numbered]
      const result = yield* Effect.result(
        attempt(
          () =>
            together(
              commits.map(([, commit]) => commit),
              lockWait
            ),
          // A unique value that another record has is found below.
          (cause) => isRepeatable(cause) && !isBlocked(cause, lockWait)
        )
      )
      if (result._tag === "Success") {
        const failing = new Set(result.success)
        if (failing.size === 0) {
          afterCommit(commits.flatMap(([, commit]) => commit))
          return commits.forEach(([index]) => finish(index, Exit.void))
        }
        yield* commitAll(
          commits.filter((_, at) => !failing.has(at)),
          run
        )
        for (const [at, one] of commits.entries()) if (failing.has(at)) yield* commitAlone(one, run)
        return
      }
      const cause = result.failure
      if (isBlocked(cause, lockWait)) return
      if (unavailableOf(cause) !== undefined && !isFaultOfServer(cause) && !isRaised(cause))
        return commits.forEach(([index]) => finish(index, failedExit(cause)))
      // A value that the server refuses, a unique value that two commits give, a record on a damaged page or one that a trigger refuses: finds the commit.
      if (commits.length === 1) return yield* commitAlone(first, run)
      const half = commits.length >> 1
      yield* commitAll(commits.slice(0, half), run)
      yield* commitAll(commits.slice(half), run)
    })

  return (
    commits: ReadonlyArray<Commit>,
    lockWait: LockWait = "5s"
  ): Effect.Effect<ReadonlyArray<CommitExit | undefined>> =>
    Effect.suspend(() => {
      const exits: Array<CommitExit | undefined> = Array.from({ length: commits.length })
      const numbered = commits.map((commit, index) => [index, commit] as const)
      const finish = (index: number, exit: CommitExit) => void (exits[index] = exit)
      return Effect.as(commitAll(numbered, { lockWait, finish }), exits)
    })
}
