/**
 * The commits that wait for a group, and which of them can be in the next group. Source: decision 0072.
 */
import type { Change } from "@mailkeep/core/adapter"
import { bytesOfChanges } from "@mailkeep/core/adapter/evaluation"
import type { Blockable, BlockedCommits } from "./blockedCommits.ts"
import { countersOf, stateAfterWait } from "./blockedCommits.ts"
import type { CommitExit } from "./commitGroup.ts"
import type { Touched } from "./touchedRecords.ts"
import { makeTouchedRecords, touchedBy } from "./touchedRecords.ts"

const groupCommitsMax = 256
const groupBytesMax = 8 * 1024 * 1024
const queueCommitsMax = 8192
const queueBytesMax = 64 * 1024 * 1024
/** How many commits are looked at for one group. Those that touch records of a group under way are passed over, and later ones that touch theirs. */
const lookedAtMax = 1024

export interface Job extends Blockable {
  readonly changes: ReadonlyArray<Change>
  readonly bytes: number
  readonly touched: Touched
  lockState: Blockable["lockState"]
  readonly resume: (exit: CommitExit) => void
}

export interface CommitQueue {
  readonly isEmpty: () => boolean
  /** Returns `false`, and does not keep the commit, when the queue is full for it. */
  readonly add: (changes: ReadonlyArray<Change>, resume: Job["resume"]) => boolean
  /**
   * Takes the commits of the next group from the queue: none that touches a record of a commit under way, or of an earlier one that waits. Otherwise sends
   * that read an API key could hold up its revocation for ever. The group is empty if no commit can begin now.
   */
  readonly takeGroup: () => ReadonlyArray<Job>
  /** Ends a group. The commits in `left` got no lock. They go back to the front of the queue. */
  readonly endGroup: (jobs: ReadonlyArray<Job>, left: ReadonlyArray<Job>) => void
}

export const makeCommitQueue = (blocked: BlockedCommits): CommitQueue => {
  let queue: Array<Job> = []
  let queuedBytes = 0
  const underWay = makeTouchedRecords()

  const takeGroup = (): ReadonlyArray<Job> => {
    const group: Array<Job> = []
    const left: Array<Job> = []
    const passedOver = makeTouchedRecords()
    let bytes = 0
    let at = 0
    for (let looked = 0; at < queue.length && looked < lookedAtMax && group.length < groupCommitsMax; at++) {
      const job = queue[at]!
      // These can be thousands. Later commits that touch their records need not wait for them.
      if (blocked.isBehind(job)) {
        left.push(job)
        continue
      }
      looked++
      if (group.length > 0 && bytes + job.bytes > groupBytesMax) break
      if (underWay.overlaps(job.touched) || passedOver.overlaps(job.touched) || !blocked.mayJoin(job, group[0])) {
        passedOver.add(job.touched)
        left.push(job)
        continue
      }
      underWay.add(job.touched)
      bytes += job.bytes
      group.push(job)
    }
    queue = [...left, ...queue.slice(at)]
    queuedBytes -= bytes
    return group
  }

  /**
   * Whether the queue is full for a commit. Commits that wait behind blocked ones of their project take at most as much of it as they leave free, so that
   * other projects are not refused. A commit that is larger than the queue may wait alone.
   */
  const isFullFor = (job: Job): boolean => {
    const own = blocked.isBehind(job) ? queue.filter(({ counters }) => counters === job.counters) : []
    const bytes = own.reduce((sum, one) => sum + one.bytes, queuedBytes + job.bytes)
    return queue.length + own.length >= queueCommitsMax || (queue.length > 0 && bytes > queueBytesMax)
  }

  return {
    isEmpty: () => queue.length === 0,
    add: (changes, resume) => {
      const job: Job = {
        changes,
        bytes: bytesOfChanges(changes),
        touched: touchedBy(changes),
        counters: countersOf(changes),
        lockState: "new",
        resume
      }
      if (isFullFor(job)) return false
      queuedBytes += job.bytes
      queue.push(job)
      return true
    },
    takeGroup,
    endGroup: (jobs, left) => {
      for (const { touched } of jobs) underWay.remove(touched)
      const nextState = stateAfterWait(jobs)
      for (const job of jobs) if (job.lockState !== "new") blocked.remove(job)
      for (const job of left) {
        job.lockState = nextState
        blocked.add(job)
        queuedBytes += job.bytes
      }
      queue = [...left, ...queue]
    }
  }
}
