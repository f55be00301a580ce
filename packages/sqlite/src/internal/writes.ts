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
  Sweep
} from "@mailkeep/core/adapter"
import { octetsOfChanges } from "@mailkeep/core/adapter/evaluation"
import { applyChange } from "./applyChange.ts"
import { claimDeliveries, claimEventDeliveries, sweep } from "./claimDeliveries.ts"
import type { Prepared } from "./recordTable.ts"
import type { DiscardStaged, PutStagedContent, StageChunks } from "./stagedContents.ts"
import { discardStaged, putStagedContent, stageChunks } from "./stagedContents.ts"

export type Write =
  | { readonly _tag: "Commit"; readonly changes: ReadonlyArray<Change | PutStagedContent> }
  | StageChunks
  | DiscardStaged
  | { readonly _tag: "Claim"; readonly claim: Claim }
  | { readonly _tag: "ClaimEventDeliveries"; readonly claim: EventDeliveryClaim }
  | { readonly _tag: "Sweep"; readonly sweep: Sweep }

/** The value of each write. */
export interface WriteResults {
  readonly Commit: void
  readonly StageChunks: void
  readonly DiscardStaged: void
  readonly Claim: ReadonlyArray<Delivery>
  readonly ClaimEventDeliveries: ReadonlyArray<EventDelivery>
  readonly Sweep: number
}

/** The result of one write within a group: its value, or the change whose guard failed, which undoes only this write. */
export type Written = { readonly done: WriteResults[keyof WriteResults] } | { readonly refused: RefusedChange }

const apply = (connection: Prepared, change: Change | PutStagedContent): ConflictReason | undefined => {
  if (change._tag !== "PutStagedContent") return applyChange(connection, change)
  return putStagedContent(connection, change) ? undefined : "NotFound"
}

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
      stageChunks(connection, write)
      return { done: undefined }
    case "DiscardStaged":
      discardStaged(connection, write)
      return { done: undefined }
    case "Claim":
      return { done: claimDeliveries(connection, write.claim) }
    case "ClaimEventDeliveries":
      return { done: claimEventDeliveries(connection, write.claim) }
    case "Sweep":
      return { done: sweep(connection, write.sweep) }
  }
}

const octetsOfOther = 1024

/** The approximate size of a write. */
export const octetsOf = (write: Write): number => {
  switch (write._tag) {
    case "Commit":
      return octetsOfChanges(write.changes.filter((change) => change._tag !== "PutStagedContent"))
    case "StageChunks":
      return write.chunks.reduce((sum, { length }) => sum + length, octetsOfOther)
    default:
      return octetsOfOther
  }
}

export const octetsOfAll = (writes: ReadonlyArray<Write>): number =>
  writes.reduce((sum, write) => sum + octetsOf(write), 0)

/** The bounds of a transaction. A write that is larger than `groupOctetsMax` is alone in its transaction. */
export const groupWritesMax = 256
export const groupOctetsMax = 8 * 1024 * 1024
