/**
 * The writes of many callers that wait for their answer: first for a batch, then for the commit of the batch. Their number and size are bounded.
 */
import type { Conflict, StoreUnavailable } from "@mailkeep/core/adapter"
import type { Effect, Exit } from "effect"
import { Latch } from "effect"
import { lockMillis, monotonicMillis } from "./lockWait.ts"
import type { Write } from "./writes.ts"
import { groupBytesMax, bytesOf } from "./writes.ts"

/** The bounds of the writes that wait for their answer. */
const waitingWritesMax = 8192
const waitingBytesMax = 64 * 1024 * 1024

type WriteExit = Exit.Exit<unknown, Conflict | StoreUnavailable>

interface WaitingWrite {
  readonly write: Write
  readonly bytes: number
  /** Until then the write waits for a lock, by `monotonicMillis`. */
  readonly lockedUntil: number
  readonly resume: (exit: WriteExit) => void
}

/** Writes that are committed together: at least one. */
export type Batch = ReadonlyArray<WaitingWrite>

export interface WriteQueue {
  /** The number of writes that wait for a batch. */
  readonly length: () => number
  /** Returns `false`, and does not keep the write, when too many writes wait for their answer. */
  readonly add: (write: Write, resume: WaitingWrite["resume"]) => boolean
  /** Takes the next batch from the queue, which must not be empty. */
  readonly takeBatch: (writesMax: number) => Batch
  /** Resumes the callers of a batch. */
  readonly answer: (batch: Batch, exitOfWrite: (write: Write, index: number) => WriteExit) => void
  /** Waits until every write has its answer. */
  readonly allAnswered: Effect.Effect<void>
}

const takeFrom = (queue: Array<WaitingWrite>, writesMax: number): Batch => {
  let bytes = 0
  let count = 0
  while (count < queue.length && count < writesMax && (count === 0 || bytes + queue[count]!.bytes <= groupBytesMax))
    bytes += queue[count++]!.bytes
  return queue.splice(0, count)
}

export const makeWriteQueue = (): WriteQueue => {
  const queue: Array<WaitingWrite> = []
  let waitingWrites = 0
  let waitingBytes = 0
  const idle = Latch.makeUnsafe(true)
  return {
    length: () => queue.length,
    add: (write, resume) => {
      const bytes = bytesOf(write)
      // A write that is larger than the bound may wait alone.
      if (waitingWrites >= waitingWritesMax || (waitingWrites > 0 && waitingBytes + bytes > waitingBytesMax))
        return false
      waitingWrites++
      waitingBytes += bytes
      idle.closeUnsafe()
      queue.push({ write, bytes, lockedUntil: monotonicMillis() + lockMillis, resume })
      return true
    },
    takeBatch: (writesMax) => takeFrom(queue, writesMax),
    answer: (batch, exitOfWrite) => {
      for (const [index, { write, bytes, resume }] of batch.entries()) {
        waitingWrites--
        waitingBytes -= bytes
        resume(exitOfWrite(write, index))
      }
      if (waitingWrites === 0) idle.openUnsafe()
    },
    allAnswered: idle.await
  }
}
