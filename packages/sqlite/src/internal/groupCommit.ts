/**
 * Collects the writes of many callers, and gives them to the writer in batches. Answers each write after the one disk sync of its transaction.
 * The writes of one transaction are a group. On the caller's thread a group is one batch; the commit thread makes a group of all batches that wait.
 */
import { setImmediate } from "node:timers"
import type { Conflict } from "@mailkeep/core/adapter"
import { recordMetric, StoreUnavailable } from "@mailkeep/core/adapter"
import type { Scope } from "effect"
import { Effect, Exit, Latch, Option } from "effect"
import type { CommittedGroup, Transaction } from "./groupTransaction.ts"
import { lockMillis, monotonicMillis } from "./lockWait.ts"
import { exitOf } from "./writeExit.ts"
import type { Write, WriteResults } from "./writes.ts"
import { groupOctetsMax, octetsOf } from "./writes.ts"

/** A batch whose transaction was committed and synced. */
export interface CommittedBatch extends Pick<CommittedGroup, "outcomes"> {
  /** The transaction, with the first of its batches; `null` with the others. */
  readonly transaction: Transaction | null
}

/** Commits batches of writes. */
export interface GroupWriter {
  /**
   * The number of writes in a batch, and whether the writer gets a batch while it commits another. Such a writer gets a full batch at once. Every
   * other batch waits for the end of the turn of the event loop.
   */
  readonly batching: () => { readonly writesMax: number; readonly isConcurrent: boolean }
  /**
   * Commits the writes in one transaction with one disk sync. When it fails, nothing of the batch was kept, or the result is unknown. Dies of
   * a bug. Waits for a lock of another process until `lockedUntil`, by `monotonicMillis`.
   */
  readonly commit: (
    writes: ReadonlyArray<Write>,
    lockedUntil: number
  ) => Effect.Effect<CommittedBatch, StoreUnavailable>
  /** Changes with each commit of another process. */
  readonly dataVersion: Effect.Effect<number, StoreUnavailable>
}

export interface GroupCommit {
  /** Fails with `StoreUnavailable` at once when too many writes wait. */
  readonly submit: <W extends Write>(
    write: W
  ) => Effect.Effect<WriteResults[W["_tag"]], StoreUnavailable | (W["_tag"] extends "Commit" ? Conflict : never)>
  readonly counts: () => GroupCounts
}

/** Measurements of the commits of this process since the store was opened. */
interface GroupCounts {
  /** The number of transactions, each with one disk sync. */
  readonly groups: number
  /** The number of commits, claims and sweeps in those transactions. */
  readonly writes: number
  /** How long transactions have waited for other processes to release the write lock. */
  readonly lockedMillis: number
}

/** The bounds of the writes that wait for their answer. */
const waitingWritesMax = 8192
const waitingOctetsMax = 64 * 1024 * 1024

interface Job {
  readonly write: Write
  readonly octets: number
  /** Until then the write waits for a lock, by `monotonicMillis`. */
  readonly lockedUntil: number
  readonly resume: (exit: Exit.Exit<unknown, Conflict | StoreUnavailable>) => void
}

/** Takes the next batch from the queue. */
const takeBatch = (queue: Array<Job>, writesMax: number): ReadonlyArray<Job> => {
  let octets = 0
  let count = 0
  while (count < queue.length && count < writesMax && (count === 0 || octets + queue[count]!.octets <= groupOctetsMax))
    octets += queue[count++]!.octets
  return queue.splice(0, count)
}

const nanosPerSecond = 1e9

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

/** Counts and measures transactions. */
const makeMeasurements = () => {
  let groups = 0
  let writes = 0
  let lockedMillis = 0
  let lockCountedUntil = Number.NEGATIVE_INFINITY
  const watchLog = makeLogWatch()
  return {
    counts: (): GroupCounts => ({ groups, writes, lockedMillis }),
    addTransaction: (transaction: Transaction): Effect.Effect<void> => {
      groups++
      writes += transaction.writes
      lockedMillis += transaction.lockMillis
      return Effect.all(
        [
          watchLog(transaction.logBytes),
          recordMetric("mailkeep_store_group_writes", {}, transaction.writes),
          recordMetric("mailkeep_store_sync_seconds", {}, transaction.syncNanos / nanosPerSecond)
        ],
        { discard: true }
      )
    },
    /** Several batches can wait for the same lock, which counts once. */
    addLockWait: (startedAt: number, now: number): void => {
      lockedMillis += Math.max(0, now - Math.max(startedAt, lockCountedUntil))
      lockCountedUntil = now
    }
  }
}

/** The scope finishes the writes that wait. */
export const makeGroupCommit = (writer: GroupWriter): Effect.Effect<GroupCommit, never, Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const queue: Array<Job> = []
    let waitingWrites = 0
    let waitingOctets = 0
    let batches = 0
    let closed = false
    let willSendSoon = false
    const { counts, addTransaction, addLockWait } = makeMeasurements()
    const idle = yield* Latch.make(true)

    const endBatch = (jobs: ReadonlyArray<Job>, exitOfJob: (job: Job, n: number) => Parameters<Job["resume"]>[0]) => {
      batches--
      for (const [n, job] of jobs.entries()) {
        waitingWrites--
        waitingOctets -= job.octets
        job.resume(exitOfJob(job, n))
      }
      if (waitingWrites === 0) idle.openUnsafe()
      // The callers that were resumed may have submitted their next writes.
      if (writer.batching().isConcurrent) sendAll()
      else sendSoon()
    }

    const commitBatch = Effect.fnUntraced(function* (jobs: ReadonlyArray<Job>) {
      const startedAt = monotonicMillis()
      // The first job has waited for the longest.
      const exit = yield* Effect.exit(
        writer.commit(
          jobs.map(({ write }) => write),
          jobs[0]!.lockedUntil
        )
      )
      if (Exit.isSuccess(exit)) {
        const { outcomes, transaction } = exit.value
        if (transaction !== null) yield* addTransaction(transaction)
        return endBatch(jobs, ({ write }, n) => exitOf(write, outcomes[n]!))
      }
      const failure = Exit.findErrorOption(exit)
      if (Option.isSome(failure) && failure.value.reason === "locked") addLockWait(startedAt, monotonicMillis())
      endBatch(jobs, () => exit)
    })

    const send = (writesMax: number): void => {
      batches++
      Effect.runForkWith(context)(commitBatch(takeBatch(queue, writesMax)))
    }

    const sendAll = (): void => {
      const { writesMax, isConcurrent } = writer.batching()
      if (isConcurrent) {
        while (queue.length > 0) send(writesMax)
        return
      }
      // Only one batch in a turn of the event loop, because `send` may have committed it and resumed its callers before it returns.
      if (batches === 0 && queue.length > 0) send(writesMax)
    }

    const sendAtEndOfTurn = (): void => {
      willSendSoon = false
      sendAll()
    }

    const sendSoon = (): void => {
      if (willSendSoon || queue.length === 0) return
      willSendSoon = true
      setImmediate(sendAtEndOfTurn)
    }

    const sendFullBatch = (): void => {
      const { writesMax, isConcurrent } = writer.batching()
      if (isConcurrent && queue.length >= writesMax) send(writesMax)
      else sendSoon()
    }

    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        closed = true
        return idle.await
      })
    )

    const submit = (write: Write) =>
      Effect.callback<unknown, Conflict | StoreUnavailable>((resume) => {
        if (closed) return resume(Effect.fail(new StoreUnavailable({ reason: "closed" })))
        const octets = octetsOf(write)
        // A write that is larger than the bound may wait alone.
        if (waitingWrites >= waitingWritesMax || (waitingWrites > 0 && waitingOctets + octets > waitingOctetsMax))
          return resume(Effect.fail(new StoreUnavailable({ reason: "overloaded" })))
        waitingWrites++
        waitingOctets += octets
        idle.closeUnsafe()
        queue.push({ write, octets, lockedUntil: monotonicMillis() + lockMillis, resume })
        sendFullBatch()
      })

    return { submit: submit as GroupCommit["submit"], counts }
  })
