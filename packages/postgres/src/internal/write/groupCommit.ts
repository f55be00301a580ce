/**
 * Collects the commits of many callers, and commits them in groups, some groups at once on connections of their own.
 */
import type { Change, Conflict } from "@mailkeep/core/adapter"
import { recordMetric, StoreUnavailable } from "@mailkeep/core/adapter"
import { octetsOfChanges } from "@mailkeep/core/adapter/evaluation"
import type { Scope } from "effect"
import { Effect, Exit, Fiber, Latch } from "effect"
import type { CommitExit } from "./commitGroup.ts"
import type { LockWait } from "../transactions.ts"
import type { Blockable } from "./blockedCommits.ts"
import { countersOf, makeBlockedCommits, stateAfterWait } from "./blockedCommits.ts"
import type { Touched } from "./touchedRecords.ts"
import { makeTouchedRecords, touchedBy } from "./touchedRecords.ts"

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

const groupCommitsMax = 256
const groupOctetsMax = 8 * 1024 * 1024
const queueCommitsMax = 8192
const queueOctetsMax = 64 * 1024 * 1024
/** While one group waits for the disk of the server, the next ones run their statements. */
const groupsAtOnce = 3
/** How many groups may wait long for their locks. One is left for all other commits. */
const blockedGroupsMax = groupsAtOnce - 1
/** A close waits no longer when no group has ended for this time: the server is silent. The callers of these commits have ended before the store. */
const closeMillisMax = 2000
/** How many commits are looked at for one group. Those that touch records of a group under way are passed over, and later ones that touch theirs. */
const lookedAtMax = 1024

interface Job extends Blockable {
  readonly changes: ReadonlyArray<Change>
  readonly octets: number
  readonly touched: Touched
  lockState: Blockable["lockState"]
  readonly resume: (exit: CommitExit) => void
}

/** The scope finishes the commits that wait, unless the server is silent. */
export const makeGroupCommit = (
  commitGroup: (
    commits: ReadonlyArray<ReadonlyArray<Change>>,
    lockWait: LockWait
  ) => Effect.Effect<ReadonlyArray<CommitExit | undefined>>
): Effect.Effect<GroupCommit, never, Scope.Scope> =>
  Effect.gen(function* () {
    let queue: Array<Job> = []
    let queuedOctets = 0
    let closed = false
    let groups = 0
    let writes = 0
    const underWay = makeTouchedRecords()
    const blocked = makeBlockedCommits(blockedGroupsMax)
    const waiting = yield* Latch.make()

    /**
     * Takes the commits of the next group from the queue: none that touches a record of a commit under way, or of an earlier one that waits. Otherwise sends
     * that read an API key could hold up its revocation for ever.
     */
    const takeGroup = (): ReadonlyArray<Job> => {
      const group: Array<Job> = []
      const left: Array<Job> = []
      const passedOver = makeTouchedRecords()
      let octets = 0
      let at = 0
      for (let looked = 0; at < queue.length && looked < lookedAtMax && group.length < groupCommitsMax; at++) {
        const job = queue[at]!
        // These can be thousands. Later commits that touch their records need not wait for them.
        if (blocked.isBehind(job)) {
          left.push(job)
          continue
        }
        looked++
        if (group.length > 0 && octets + job.octets > groupOctetsMax) break
        if (underWay.overlaps(job.touched) || passedOver.overlaps(job.touched) || !blocked.mayJoin(job, group[0])) {
          passedOver.add(job.touched)
          left.push(job)
          continue
        }
        underWay.add(job.touched)
        octets += job.octets
        group.push(job)
      }
      queue = [...left, ...queue.slice(at)]
      queuedOctets -= octets
      return group
    }

    /** Commits a group. Its first wait for a lock is short, so that a lock that is not free for long does not hold up all others. */
    const commitJobs = (jobs: ReadonlyArray<Job>) => {
      const [first] = jobs as readonly [Job]
      const commits = jobs.map(({ changes }) => changes)
      return first.lockState === "blocked"
        ? blocked.whileWaiting(first, commitGroup(commits, "5s"))
        : commitGroup(commits, "1s")
    }

    const runGroup = (jobs: ReadonlyArray<Job>): Effect.Effect<void> =>
      Effect.gen(function* () {
        const exits = yield* commitJobs(jobs)
        const left = jobs.filter((_, index) => exits[index] === undefined)
        groups++
        writes += jobs.length - left.length
        yield* recordMetric("mailkeep_store_group_writes", {}, jobs.length - left.length)
        for (const { touched } of jobs) underWay.remove(touched)
        const nextState = stateAfterWait(jobs)
        for (const job of jobs) if (job.lockState !== "new") blocked.remove(job)
        for (const job of left) {
          job.lockState = nextState
          blocked.add(job)
          queuedOctets += job.octets
        }
        queue = [...left, ...queue]
        for (const [index, { resume }] of jobs.entries()) if (exits[index] !== undefined) resume(exits[index])
        // Commits that were passed over can be in the next group.
        if (queue.length > 0 || closed) waiting.openUnsafe()
      })

    const loop = Effect.gen(function* () {
      while (true) {
        yield* waiting.await
        yield* waiting.close
        // Yields once, so that all ready fibers can commit before the group is cut.
        yield* Effect.yieldNow
        const jobs = takeGroup()
        if (jobs.length > 0) {
          // Another loop takes what is left.
          if (queue.length > 0) waiting.openUnsafe()
          yield* runGroup(jobs)
        } else if (closed) {
          // The groups under way take what is left.
          waiting.openUnsafe()
          return
        }
      }
    })

    const awaitWhileGroupsEnd = (allEnded: Effect.Effect<unknown>): Effect.Effect<void> =>
      Effect.gen(function* () {
        const before = groups
        yield* Effect.timeoutOption(Effect.interruptible(allEnded), closeMillisMax)
        if (groups > before) yield* awaitWhileGroupsEnd(allEnded)
      })

    yield* Effect.acquireRelease(
      Effect.forEach(Array.from({ length: groupsAtOnce }), () => Effect.forkDetach(loop)),
      (fibers) =>
        Effect.suspend(() => {
          closed = true
          return Effect.andThen(waiting.open, awaitWhileGroupsEnd(Fiber.awaitAll(fibers)))
        })
    )

    /**
     * Whether the queue is full for a commit. Commits that wait behind blocked ones of their project take at most as much of it as they leave free, so that
     * other projects are not refused. A commit that is larger than the queue may wait alone.
     */
    const isFullFor = (job: Job): boolean => {
      const own = blocked.isBehind(job) ? queue.filter(({ counters }) => counters === job.counters) : []
      const octets = own.reduce((sum, one) => sum + one.octets, queuedOctets + job.octets)
      return queue.length + own.length >= queueCommitsMax || (queue.length > 0 && octets > queueOctetsMax)
    }

    const commit = (changes: ReadonlyArray<Change>) =>
      Effect.callback<void, Conflict | StoreUnavailable>((resume) => {
        if (closed) return resume(Exit.fail(new StoreUnavailable({ reason: "closed" })))
        const job: Job = {
          changes,
          octets: octetsOfChanges(changes),
          touched: touchedBy(changes),
          counters: countersOf(changes),
          lockState: "new",
          resume
        }
        if (isFullFor(job)) return resume(Exit.fail(new StoreUnavailable({ reason: "overloaded" })))
        queuedOctets += job.octets
        queue.push(job)
        waiting.openUnsafe()
      })

    return { commit, counts: () => ({ groups, writes }) }
  })
