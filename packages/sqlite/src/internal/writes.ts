/**
 * The writes of a store as data, so that another thread can run them.
 */
import type {
  Change,
  Claim,
  ConflictReason,
  Delivery,
  EventDelivery,
  EventDeliveryClaim,
  RefusedChange,
  MessageSweep,
  Sweep,
  SweptMessages
} from "@mailkeep/core/adapter"
import { bytesOfChanges } from "@mailkeep/core/adapter/evaluation"
import { applyChange } from "./applyChange.ts"
import { claimDeliveries, claimEventDeliveries } from "./claimDeliveries.ts"
import { sweepMessages } from "./messageSweep.ts"
import type { Prepared } from "./recordTable.ts"
import type { DiscardStaged, PutStagedContent, StageChunks } from "./stagedContents.ts"
import { bytesOfChunks, putStagedContent, runStaging, withoutStaged } from "./stagedContents.ts"
import { sweep } from "./sweep.ts"

export type Write =
  | { readonly _tag: "Commit"; readonly changes: ReadonlyArray<Change | PutStagedContent> }
  | StageChunks
  | DiscardStaged
  | { readonly _tag: "Claim"; readonly claim: Claim }
  | { readonly _tag: "ClaimEventDeliveries"; readonly claim: EventDeliveryClaim }
  | { readonly _tag: "Sweep"; readonly sweep: Sweep }
  | { readonly _tag: "SweepMessages"; readonly sweep: MessageSweep }

/** The value of each write. */
export interface WriteResults {
  readonly Commit: void
  readonly StageChunks: void
  readonly DiscardStaged: void
  readonly Claim: ReadonlyArray<Delivery>
  readonly ClaimEventDeliveries: ReadonlyArray<EventDelivery>
  readonly Sweep: number
  readonly SweepMessages: SweptMessages
}

/** The result of one write within a group: its value, or the change whose guard failed, which undoes only this write. */
export type Written = { readonly done: WriteResults[keyof WriteResults] } | { readonly refused: RefusedChange }

const apply = (connection: Prepared, change: Change | PutStagedContent): ConflictReason | undefined =>
  change._tag === "PutStagedContent" ? putStagedContent(connection, change) : applyChange(connection, change)

const runCommit = (connection: Prepared, changes: ReadonlyArray<Change | PutStagedContent>): Written => {
  for (const [at, change] of changes.entries()) {
    const reason = apply(connection, change)
    if (reason !== undefined) return { refused: { at, reason } }
  }
  return { done: undefined }
}

/** Whether the changes before the refused change may have written. A change that is refused has written nothing itself. */
export const mayHaveWritten = (write: Write, { at }: RefusedChange): boolean =>
  write._tag !== "Commit" || write.changes.slice(0, at).some(({ _tag }) => _tag !== "Expect")

/** Runs one write within a transaction. Throws the errors of SQLite. */
export const runWrite = (connection: Prepared, write: Write): Written => {
  switch (write._tag) {
    case "Commit":
      return runCommit(connection, write.changes)
    case "StageChunks":
    case "DiscardStaged":
      return runStaging(connection, write)
    case "Claim":
      return { done: claimDeliveries(connection, write.claim) }
    case "ClaimEventDeliveries":
      return { done: claimEventDeliveries(connection, write.claim) }
    case "Sweep":
      return { done: sweep(connection, write.sweep) }
    case "SweepMessages":
      return { done: sweepMessages(connection, write.sweep) }
  }
}

/** The approximate size of a write. */
export const bytesOf = (write: Write): number => {
  if (write._tag === "StageChunks") return bytesOfChunks(write)
  return write._tag === "Commit" ? bytesOfChanges(withoutStaged(write.changes)) : 1024
}

export const bytesOfAll = (writes: ReadonlyArray<Write>): number =>
  writes.reduce((sum, write) => sum + bytesOf(write), 0)

/** The bounds of a transaction. A write that is larger than `groupBytesMax` is alone in its transaction. */
export const groupWritesMax = 256
export const groupBytesMax = 8 * 1024 * 1024
