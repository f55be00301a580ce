/**
 * Commits on a separate thread, so that the caller's thread neither waits for the disk nor for a lock.
 * Source: decisions 0053 and 0062.
 */
import { StoreUnavailable } from "@mailkeep/core/adapter"
import { Effect, Fiber } from "effect"
import type { Scope } from "effect"
import type { ProductConnections } from "../productConnections.ts"
import { ownTransactionMillis, ownTransactionSentence } from "../productConnections.ts"
import type { FileIdentity } from "../fileCheck.ts"
import type { Transaction } from "../groupTransaction.ts"
import type { CommittedBatch, GroupWriter } from "../groupCommit.ts"
import type { Write, Written } from "../writes.ts"
import { bytesOfAll } from "../writes.ts"
import { monotonicMillis } from "../lockWait.ts"
import { unavailable } from "../sqliteFailure.ts"
import type { ThreadError } from "./replies.ts"
import { fromThreadError } from "./replies.ts"
import type { NotCloneable, ThreadNotAvailable } from "./workerThread.ts"
import { makeWorkerThread } from "./workerThread.ts"

export interface CommitThreadData {
  readonly filename: string
  /** The files that the caller's thread has opened. The commit thread acknowledges no commit in other files. */
  readonly identity: FileIdentity
  /** How long the thread waits for a lock before its first request. Short, because the first request waits behind it. */
  readonly startMillis: number
}

export type CommitRequest = CommitBatch | { readonly _tag: "DataVersion" } | { readonly _tag: "Close" }

/** Some writes. The thread commits all batches that wait for it in one transaction. */
export interface CommitBatch {
  readonly _tag: "Commit"
  readonly writes: ReadonlyArray<Write>
  readonly bytes: number
  /** The batch waits for the lock of another connection until then, by `monotonicMillis`. */
  readonly lockedUntil: number
}

/** A `CommittedBatch` as data. */
export interface CommittedElsewhere {
  readonly outcomes: ReadonlyArray<Written | { readonly defect: ThreadError }>
  readonly transaction: Transaction | null
}

export type CommitReply =
  | { readonly committed: CommittedElsewhere }
  /** Another connection kept the lock. Nothing was written. Other batches of the group can have had less time to wait than this one. */
  | { readonly locked: ThreadError }
  | { readonly dataVersion: number }
  | { readonly closed: true }

/**
 * A batch is small, so that the thread begins with the first writes while the caller's thread decides the next. The callers of a small batch
 * also block the event loop only shortly when they are resumed.
 */
const batchWritesMax = 8

/** The value that cannot be copied to the thread, or `undefined`. */
const cloneDefect = (write: Write): unknown => {
  try {
    structuredClone(write)
    return undefined
  } catch (cause) {
    return cause
  }
}

const toCommittedBatch = ({ outcomes, transaction }: CommittedElsewhere): CommittedBatch => ({
  outcomes: outcomes.map((outcome) => ("defect" in outcome ? { defect: fromThreadError(outcome.defect) } : outcome)),
  transaction
})

export interface CommitThread extends GroupWriter {
  /** Whether the thread has opened the file, or has failed to. A commit before that would wait for it. */
  readonly hasStarted: () => boolean
  /** Waits until `hasStarted`. */
  readonly started: Effect.Effect<void>
  /** The `dataVersion` of the open file, before a commit of this thread. `undefined` if another connection has committed since the caller opened it. */
  readonly firstVersion: Effect.Effect<number | undefined>
}

/**
 * Starts the thread without waiting for it. The scope lets the thread finish its batches and close its connection. A thread that dies fails
 * the batches that it has not answered with `StoreUnavailable`. The next batch starts another thread. `isUnchanged` says whether no other
 * connection has committed since the caller opened the file. Fails if the thread cannot be started.
 */
export const makeCommitThread = (
  filename: string,
  identity: FileIdentity,
  connections: ProductConnections,
  isUnchanged: () => boolean
): Effect.Effect<CommitThread, ThreadNotAvailable, Scope.Scope> =>
  Effect.gen(function* () {
    const { request, start } = yield* makeWorkerThread<CommitRequest, CommitReply>({
      module: "commitWorker",
      workerData: { filename, identity, startMillis: ownTransactionMillis } satisfies CommitThreadData,
      // `makeGroupCommit` bounds the writes that wait.
      pendingMax: Number.POSITIVE_INFINITY,
      idleMillis: Number.POSITIVE_INFINITY
    })
    yield* Effect.addFinalizer(() => Effect.ignore(request({ _tag: "Close" })))
    yield* start
    // The thread answers its first request when it has opened the file, or has failed to.
    const starting = yield* Effect.forkScoped(
      request({ _tag: "DataVersion" }).pipe(
        Effect.map((reply) => ("dataVersion" in reply && isUnchanged() ? reply.dataVersion : undefined)),
        Effect.orElseSucceed(() => undefined)
      )
    )
    /**
     * Waits for a lock in the thread. While the product has named a connection, waits in steps, and looks after each step whether a transaction of the
     * product has the lock.
     */
    const send = (
      writes: ReadonlyArray<Write>,
      lockedUntil: number
    ): Effect.Effect<CommittedBatch, StoreUnavailable | NotCloneable> => {
      const bytes = bytesOfAll(writes)
      const firstSentAt = monotonicMillis()
      const sendOnce = (): ReturnType<typeof send> => {
        const sentAt = monotonicMillis()
        const stepUntil = connections.isKnown() ? Math.min(lockedUntil, sentAt + ownTransactionMillis) : lockedUntil
        return Effect.flatMap(request({ _tag: "Commit", writes, bytes, lockedUntil: stepUntil }), (reply) => {
          if ("committed" in reply)
            return Effect.succeed(withLockWait(toCommittedBatch(reply.committed), sentAt - firstSentAt))
          if (!("locked" in reply)) return unexpected
          if (connections.hasTransaction())
            return Effect.fail(new StoreUnavailable({ reason: "locked", detail: ownTransactionSentence }))
          return monotonicMillis() < lockedUntil ? sendOnce() : Effect.fail(unavailable(fromThreadError(reply.locked)))
        })
      }
      return Effect.suspend(sendOnce)
    }
    /** A write that cannot be copied is a bug of its caller. The other writes of its batch are sent without it. */
    const sendCloneable = (writes: ReadonlyArray<Write>, lockedUntil: number) => {
      const defects = writes.map(cloneDefect)
      const sendable = writes.filter((_, n) => defects[n] === undefined)
      const batch = send(sendable, lockedUntil)
      return Effect.map(batch, ({ outcomes, transaction }) => {
        const sent = outcomes.values()
        return {
          transaction,
          outcomes: defects.map((defect) => (defect === undefined ? sent.next().value! : { defect }))
        }
      })
    }
    return {
      hasStarted: () => starting.pollUnsafe() !== undefined,
      started: Effect.asVoid(Fiber.await(starting)),
      firstVersion: Fiber.join(starting),
      batching: () => ({ writesMax: batchWritesMax, isConcurrent: true }),
      commit: (writes, lockedUntil) =>
        send(writes, lockedUntil).pipe(
          Effect.catchTag("NotCloneable", () => sendCloneable(writes, lockedUntil)),
          Effect.catchTag("NotCloneable", Effect.die)
        ),
      dataVersion: Effect.flatMap(request({ _tag: "DataVersion" }), (reply) =>
        "dataVersion" in reply ? Effect.succeed(reply.dataVersion) : unexpected
      ).pipe(Effect.catchTag("NotCloneable", Effect.die))
    }
  })

const withLockWait = (batch: CommittedBatch, waitedMillis: number): CommittedBatch => {
  const { transaction } = batch
  if (transaction === null) return batch
  return { ...batch, transaction: { ...transaction, lockMillis: transaction.lockMillis + waitedMillis } }
}

const unexpected = Effect.die(new Error("The commit thread answered another request."))
