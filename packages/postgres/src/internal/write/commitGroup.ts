/**
 * Commits one group: all commits in one transaction. If a guard of the group does not hold, commits the others again without the commits that
 * failed, and each of these alone.
 */
import type { Change, RefusedChange, StoreUnavailable } from "@mailkeep/core/adapter"
import { Conflict } from "@mailkeep/core/adapter"
import { Effect, Exit } from "effect"
import { defectOf, unavailableOf } from "../postgresFailure.ts"
import { attempt } from "../runStatements.ts"
import { isRepeatable } from "../sqlStates.ts"
import type { Commit, CommitTransactions } from "./commitTransactions.ts"
import { isAppliedAlone } from "./commitTransactions.ts"

export type CommitExit = Exit.Exit<void, Conflict | StoreUnavailable>

const refusedExit = (commit: Commit, { at, reason }: RefusedChange): CommitExit =>
  Exit.fail(new Conflict({ at, change: commit[at]!._tag, reason }))

const failedExit = (cause: unknown): CommitExit => {
  const failure = unavailableOf(cause)
  return failure === undefined ? Exit.die(defectOf(cause)) : Exit.fail(failure)
}

type Numbered = readonly [index: number, commit: Commit]

/** Returns the exits of the commits, in the same order. */
export const makeCommitGroup = (
  { together, alone }: CommitTransactions,
  afterCommit: (changes: ReadonlyArray<Change>) => void
) => {
  const commitAlone = (commit: Commit): Effect.Effect<CommitExit> =>
    Effect.match(
      attempt(() => alone(commit)),
      {
        onFailure: failedExit,
        onSuccess: (refused) => {
          if (refused !== undefined) return refusedExit(commit, refused)
          afterCommit(commit)
          return Exit.void
        }
      }
    )

  const commitAll = (
    commits: ReadonlyArray<Numbered>,
    finish: (index: number, exit: CommitExit) => void
  ): Effect.Effect<void> =>
    Effect.gen(function* () {
      if (commits.length === 0) return
      const [[index, first]] = commits as readonly [Numbered]
      if (commits.length === 1 && isAppliedAlone(first)) return finish(index, yield* commitAlone(first))
      const result = yield* Effect.result(
        // A unique value that another record has is found below.
        attempt(() => together(commits.map(([, commit]) => commit)), isRepeatable)
      )
      if (result._tag === "Success") {
        const failing = new Set(result.success)
        if (failing.size === 0) {
          afterCommit(commits.flatMap(([, commit]) => commit))
          return commits.forEach(([index]) => finish(index, Exit.void))
        }
        yield* commitAll(
          commits.filter((_, at) => !failing.has(at)),
          finish
        )
        for (const [at, [index, commit]] of commits.entries())
          if (failing.has(at)) finish(index, yield* commitAlone(commit))
        return
      }
      const cause = result.failure
      if (unavailableOf(cause) !== undefined) return commits.forEach(([index]) => finish(index, failedExit(cause)))
      // A value that the server refuses, or a unique value that two commits give: finds the commit.
      if (commits.length === 1) return finish(index, yield* commitAlone(first))
      const half = commits.length >> 1
      yield* commitAll(commits.slice(0, half), finish)
      yield* commitAll(commits.slice(half), finish)
    })

  return (commits: ReadonlyArray<Commit>): Effect.Effect<ReadonlyArray<CommitExit>> =>
    Effect.suspend(() => {
      const exits: Array<CommitExit> = []
      const numbered = commits.map((commit, index) => [index, commit] as const)
      return Effect.as(
        commitAll(numbered, (index, exit) => {
          exits[index] = exit
        }),
        exits
      )
    })
}
