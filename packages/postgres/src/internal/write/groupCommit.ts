/**
 * Collects the commits of many callers, and commits them in groups, some groups at once on connections of their own.
 */
import type { Change, Conflict } from "@mailkeep/core/adapter"
import { recordMetric, StoreUnavailable } from "@mailkeep/core/adapter"
import type { Scope } from "effect"
import { Effect, Exit, Fiber, Latch } from "effect"
import type { CommitExit } from "./commitGroup.ts"
import type { LockWait } from "../transactions.ts"
import type { BlockedCommits } from "./blockedCommits.ts"
import { makeBlockedCommits } from "./blockedCommits.ts"
import type { Job } from "./commitQueue.ts"
import { makeCommitQueue } from "./commitQueue.ts"

export interface GroupCommit {
  /** Fails with `StoreUnavailable` at once when the queue is full. */
  readonly commit: (changes: ReadonlyArray<Change>) => Effect.Effect<void, Conflict | StoreUnavailable>
  readonly counts: () => GroupCounts
}

/** Measurements of the commits of this process since the store was opened. */
export interface GroupCounts {
  /** The number of groups. A group is one transaction, unless a guard of the group did not hold. */
  readonly groups: number
  /** The number of commits in those groups. */
  readonly writes: number
}

/** While one group waits for the disk of the server, the next ones run their statements. */
const groupsAtOnce = 3
/** How many groups may wait long for their locks. One is left for all other commits. */
const blockedGroupsMax = groupsAtOnce - 1
/** A close waits no longer when no group has ended for this time: the server is silent. The callers of these commits have ended before the store. */
const closeMillisMax = 2000

/** Commits a group, and returns an exit for each commit that got its locks. */
export type CommitGroup = (
  commits: ReadonlyArray<ReadonlyArray<Change>>,
  lockWait: LockWait
) => Effect.Effect<ReadonlyArray<CommitExit | undefined>>

/** Commits a group. Its first wait for a lock is short, so that a lock that is not free for long does not hold up all others. */
const commitJobs = (jobs: ReadonlyArray<Job>, blocked: BlockedCommits, commitGroup: CommitGroup) => {
  const [first] = jobs as readonly [Job]
  const commits = jobs.map(({ changes }) => changes)
  return first.lockState === "blocked"
    ? blocked.whileWaiting(first, commitGroup(commits, "5s"))
    : commitGroup(commits, "1s")
}

/** Waits until all have ended, or until no group has ended for `closeMillisMax`. `groups` returns how many groups have ended. */
const awaitWhileGroupsEnd = (allEnded: Effect.Effect<unknown>, groups: () => number): Effect.Effect<void> =>
  Effect.gen(function* () {
    const before = groups()
    yield* Effect.timeoutOption(Effect.interruptible(allEnded), closeMillisMax)
    if (groups() > before) yield* awaitWhileGroupsEnd(allEnded, groups)
  })

/** The scope finishes the commits that wait, unless the server is silent. */
export const makeGroupCommit = (commitGroup: CommitGroup): Effect.Effect<GroupCommit, never, Scope.Scope> =>
  Effect.gen(function* () {
    let closed = false
    let groups = 0
    let writes = 0
    const blocked = makeBlockedCommits(blockedGroupsMax)
    const queue = makeCommitQueue(blocked)
    const waiting = yield* Latch.make()

    const runGroup = (jobs: ReadonlyArray<Job>): Effect.Effect<void> =>
      Effect.gen(function* () {
        const exits = yield* commitJobs(jobs, blocked, commitGroup)
        const left = jobs.filter((_, index) => exits[index] === undefined)
        groups++
        writes += jobs.length - left.length
        yield* recordMetric("mailkeep_store_group_writes", {}, jobs.length - left.length)
        queue.endGroup(jobs, left)
        for (const [index, { resume }] of jobs.entries()) if (exits[index] !== undefined) resume(exits[index])
        // Commits that were passed over can be in the next group.
        if (!queue.isEmpty() || closed) waiting.openUnsafe()
      })

    const loop = Effect.gen(function* () {
      while (true) {
        yield* waiting.await
        yield* waiting.close
        // Yields once, so that all ready fibers can commit before the group is cut.
        yield* Effect.yieldNow
        const jobs = queue.takeGroup()
        if (jobs.length > 0) {
          // Another loop takes what is left.
          if (!queue.isEmpty()) waiting.openUnsafe()
          yield* runGroup(jobs)
        } else if (closed) {
          // The groups under way take what is left.
          waiting.openUnsafe()
          return
        }
      }
    })

    yield* Effect.acquireRelease(
      Effect.forEach(Array.from({ length: groupsAtOnce }), () => Effect.forkDetach(loop)),
      (fibers) =>
        Effect.suspend(() => {
          closed = true
          return Effect.andThen(
            waiting.open,
            awaitWhileGroupsEnd(Fiber.awaitAll(fibers), () => groups)
          )
        })
    )

    const commit = (changes: ReadonlyArray<Change>) =>
      Effect.callback<void, Conflict | StoreUnavailable>((resume) => {
        if (closed) return resume(Exit.fail(new StoreUnavailable({ reason: "closed" })))
        if (!queue.add(changes, resume)) return resume(Exit.fail(new StoreUnavailable({ reason: "overloaded" })))
        waiting.openUnsafe()
      })

    return { commit, counts: () => ({ groups, writes }) }
  })
