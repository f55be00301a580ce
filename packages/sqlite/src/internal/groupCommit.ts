/**
 * Collects the writes of many callers, and gives them to the writer in batches. Answers each write after the one disk sync of its transaction.
 * The writes of one transaction are a group. On the caller's thread a group is one batch; the commit thread makes a group of all batches that wait.
 */
import { setImmediate } from "node:timers"
import type { Conflict } from "@mailkeep/core/adapter"
import { recordMetric, StoreUnavailable } from "@mailkeep/core/adapter"
import type { Scope } from "effect"
import { Effect, Exit, Option } from "effect"
import type { CommittedGroup, Transaction } from "./groupTransaction.ts"
import { monotonicMillis } from "./lockWait.ts"
import { exitOf } from "./writeExit.ts"
import type { Batch, WriteQueue } from "./writeQueue.ts"
import { makeWriteQueue } from "./writeQueue.ts"
import type { Write, WriteResults } from "./writes.ts"

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

/**
 * Decides when batches begin. A concurrent writer gets full batches at once. Everything else waits for the end of the turn of the event loop, so
 * that the callers of one turn share a batch.
 */
const makeBatchStarts = (
  queue: WriteQueue,
  batching: GroupWriter["batching"],
  begin: (batch: Batch) => void
): { readonly writeAdded: () => void; readonly endBatch: (resumeCallers: () => void) => void } => {
  let batches = 0
  let willSendSoon = false

  const send = (writesMax: number): void => {
    batches++
    begin(queue.takeBatch(writesMax))
  }

  const sendAll = (): void => {
    const { writesMax, isConcurrent } = batching()
    if (isConcurrent) {
      while (queue.length() > 0) send(writesMax)
      return
    }
    // Only one batch in a turn of the event loop, because `send` may have committed it and resumed its callers before it returns.
    if (batches === 0 && queue.length() > 0) send(writesMax)
  }

  const sendAtEndOfTurn = (): void => {
    willSendSoon = false
    sendAll()
  }

  const sendSoon = (): void => {
    if (willSendSoon || queue.length() === 0) return
    willSendSoon = true
    setImmediate(sendAtEndOfTurn)
  }

  return {
    writeAdded: () => {
      const { writesMax, isConcurrent } = batching()
      if (isConcurrent && queue.length() >= writesMax) send(writesMax)
      else sendSoon()
    },
    endBatch: (resumeCallers) => {
      batches--
      resumeCallers()
      // The callers that were resumed may have submitted their next writes.
      if (batching().isConcurrent) sendAll()
      else sendSoon()
    }
  }
}

/** The scope finishes the writes that wait. */
export const makeGroupCommit = (writer: GroupWriter): Effect.Effect<GroupCommit, never, Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const queue = makeWriteQueue()
    const { counts, addTransaction, addLockWait } = makeMeasurements()
    let closed = false

    const commitBatch = Effect.fnUntraced(function* (batch: Batch) {
      const startedAt = monotonicMillis()
      // The first write has waited for the longest.
      const exit = yield* Effect.exit(
        writer.commit(
          batch.map(({ write }) => write),
          batch[0]!.lockedUntil
        )
      )
      if (Exit.isSuccess(exit)) {
        const { outcomes, transaction } = exit.value
        if (transaction !== null) yield* addTransaction(transaction)
        return starts.endBatch(() => queue.answer(batch, (write, index) => exitOf(write, outcomes[index]!)))
      }
      const failure = Exit.findErrorOption(exit)
      if (Option.isSome(failure) && failure.value.reason === "locked") addLockWait(startedAt, monotonicMillis())
      starts.endBatch(() => queue.answer(batch, () => exit))
    })

    const starts = makeBatchStarts(queue, writer.batching, (batch) => Effect.runForkWith(context)(commitBatch(batch)))

    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        closed = true
        return queue.allAnswered
      })
    )

    const submit = (write: Write) =>
      Effect.callback<unknown, Conflict | StoreUnavailable>((resume) => {
        if (closed) return resume(Effect.fail(new StoreUnavailable({ reason: "closed" })))
        if (!queue.add(write, resume)) return resume(Effect.fail(new StoreUnavailable({ reason: "overloaded" })))
        starts.writeAdded()
      })

    return { submit: submit as GroupCommit["submit"], counts }
  })
