/**
 * Collects the writes of many callers, and commits them in groups. Answers each write after the one disk sync of its group.
 */
import type { Conflict } from "@mailkeep/core/adapter"
import { recordMetric, StoreUnavailable } from "@mailkeep/core/adapter"
import type { Scope } from "effect"
import { Clock, Effect, Exit, Fiber, Latch, Option } from "effect"
import type { CommittedGroup } from "./groupTransaction.ts"
import { exitOf } from "./writeExit.ts"
import type { Write, WriteResults } from "./writes.ts"
import { octetsOf } from "./writes.ts"

/** Commits groups, one after the other. */
export interface GroupWriter {
  /**
   * Commits the writes in one transaction with one disk sync. When it fails, nothing of the group was kept, or the result is unknown. Dies of
   * a bug. Waits 5 s for a lock of another process.
   */
  readonly commit: (writes: ReadonlyArray<Write>) => Effect.Effect<CommittedGroup, StoreUnavailable>
  /** Changes with each commit of another process. */
  readonly dataVersion: Effect.Effect<number, StoreUnavailable>
}

export interface GroupCommit {
  /** Fails with `StoreUnavailable` at once when the queue is full. */
  readonly submit: <W extends Write>(
    write: W
  ) => Effect.Effect<WriteResults[W["_tag"]], StoreUnavailable | (W["_tag"] extends "Commit" ? Conflict : never)>
  readonly counts: () => GroupCounts
}

/** Measurements of the commits of this process since the store was opened. */
interface GroupCounts {
  /** The number of transactions, each with one disk sync. */
  readonly groups: number
  /** The number of commits and claims in those transactions. */
  readonly writes: number
  /** How long groups have waited for other processes to release the write lock. */
  readonly lockedMillis: number
}

const groupWritesMax = 256
const groupOctetsMax = 8 * 1024 * 1024
const queueWritesMax = 8192
const queueOctetsMax = 64 * 1024 * 1024

interface Job {
  readonly write: Write
  readonly octets: number
  readonly resume: (exit: Exit.Exit<unknown, Conflict | StoreUnavailable>) => void
}

/** Takes the next group from the queue. */
const takeGroup = (queue: Array<Job>): ReadonlyArray<Job> => {
  let octets = 0
  let count = 0
  while (
    count < queue.length &&
    count < groupWritesMax &&
    (count === 0 || octets + queue[count]!.octets <= groupOctetsMax)
  )
    octets += queue[count++]!.octets
  return queue.splice(0, count)
}

const nanosPerSecond = 1e9
const nanosPerMilli = 1e6

/** Measures a group that was committed. */
const measureGroup = (writes: number, syncNanos: number): Effect.Effect<void> =>
  Effect.andThen(
    recordMetric("mailkeep_store_group_writes", {}, writes),
    recordMetric("mailkeep_store_sync_seconds", {}, syncNanos / nanosPerSecond)
  )

/** A log of this size means that a reader prevents its reuse. */
const logBytesWarned = 256 * 1024 * 1024

/** Logs a warning once when the write-ahead log has grown, and again only after the log has shrunk. */
const makeLogWatch = () => {
  let warned = false
  return (logBytes: number): Effect.Effect<void> => {
    if (logBytes <= logBytesWarned) {
      warned = false
      return Effect.void
    }
    if (warned) return Effect.void
    warned = true
    return Effect.logWarning(
      "The write-ahead log of the store has grown because another process reads an old state of the file. It shrinks when that read ends.",
      { logBytes }
    )
  }
}

/** The scope finishes the writes that wait. */
export const makeGroupCommit = (writer: GroupWriter): Effect.Effect<GroupCommit, never, Scope.Scope> =>
  Effect.gen(function* () {
    const queue: Array<Job> = []
    let queuedOctets = 0
    let closed = false
    let groups = 0
    let writes = 0
    let lockedMillis = 0
    const watchLog = makeLogWatch()
    const waiting = yield* Latch.make()

    const finishGroup = (
      jobs: ReadonlyArray<Job>,
      { outcomes, logBytes, lockNanos, syncNanos }: CommittedGroup
    ): Effect.Effect<void> => {
      groups++
      writes += jobs.length
      lockedMillis += Math.floor(lockNanos / nanosPerMilli)
      const resumeAll = Effect.sync(() =>
        jobs.forEach(({ write, resume }, index) => resume(exitOf(write, outcomes[index]!)))
      )
      return Effect.andThen(watchLog(logBytes), Effect.andThen(measureGroup(jobs.length, syncNanos), resumeAll))
    }

    const commitGroup = Effect.gen(function* () {
      const jobs = takeGroup(queue)
      for (const { octets } of jobs) queuedOctets -= octets
      const startedAt = yield* Clock.currentTimeMillis
      const exit = yield* Effect.exit(writer.commit(jobs.map(({ write }) => write)))
      if (Exit.isSuccess(exit)) return yield* finishGroup(jobs, exit.value)
      const failure = Exit.findErrorOption(exit)
      if (Option.isSome(failure) && failure.value.reason === "locked")
        lockedMillis += Math.max(0, (yield* Clock.currentTimeMillis) - startedAt)
      for (const { resume } of jobs) resume(exit)
    })

    const drain = Effect.whileLoop({
      while: () => queue.length > 0,
      body: () => Effect.andThen(commitGroup, Effect.yieldNow),
      step: () => {}
    })

    const loop = Effect.gen(function* () {
      while (true) {
        yield* waiting.await
        yield* waiting.close
        // Yields once, so that all ready fibers can submit before the group is cut.
        yield* Effect.yieldNow
        yield* drain
        if (closed && queue.length === 0) return
      }
    })

    yield* Effect.acquireRelease(Effect.forkDetach(loop), (fiber) =>
      Effect.suspend(() => {
        closed = true
        return Effect.andThen(waiting.open, Fiber.await(fiber))
      })
    )

    const submit = (write: Write) =>
      Effect.callback<unknown, Conflict | StoreUnavailable>((resume) => {
        if (closed) return resume(Effect.fail(new StoreUnavailable({ reason: "closed" })))
        const octets = octetsOf(write)
        // A write that is larger than the queue may wait alone.
        if (queue.length >= queueWritesMax || (queue.length > 0 && queuedOctets + octets > queueOctetsMax))
          return resume(Effect.fail(new StoreUnavailable({ reason: "overloaded" })))
        queuedOctets += octets
        queue.push({ write, octets, resume })
        waiting.openUnsafe()
      })

    return { submit: submit as GroupCommit["submit"], counts: () => ({ groups, writes, lockedMillis }) }
  })
