/**
 * Why a move between stores is refused. Source: decision 0050.
 */
import { NotRetryable } from "../value/NotRetryable.ts"
import type { RecordKind } from "./StoredRecord.ts"

const sentences = {
  target_not_empty:
    "The target store has records of its own. Move into an empty store, or resume a move of the same source.",
  source_moved:
    "The records of the source store were moved to another store before. Use that store. With `force`, the source is moved again.",
  source_incomplete: "A move into the source store has not ended, so the source is incomplete. Finish that move first.",
  target_moved: "The records of the target store were moved to another store before. Choose an empty store.",
  same_store: "The source and the target are the same store. Choose another target.",
  source_in_use:
    "A worker or another move has a live lease in the source store. Stop every process that uses the store, and wait until the lease has ended, at most a minute.",
  source_changed:
    "The source store changed during the move, so the target is incomplete. Stop every process that uses the source. Then delete the target and move again.",
  target_differs:
    "The target store has other records than the source. Delete the target and move again into an empty store."
} as const

/** A move between stores was refused, or its check failed. The source is unchanged. */
export class MoveRefused extends NotRetryable("MoveRefused", "conflict")<{
  readonly reason: keyof typeof sentences
  /** The kinds of records that show the reason. */
  readonly kinds: ReadonlyArray<RecordKind>
}> {
  override get message() {
    return `${sentences[this.reason]} Records: ${this.kinds.join(", ")}.`
  }
  /** Not retryable: the message says what to do first. */
  declare readonly isRetryable: boolean
}
