/**
 * The failure of a commit whose guard does not hold.
 */
import { Data } from "effect"
import type { ChangeTag } from "./Change.ts"
import type { ConflictReason } from "./guard.ts"

/** A guard failed, so the store applied no change of the commit. This is normal: another commit can change the facts after they are read. */
export class Conflict extends Data.TaggedError("Conflict")<{
  /** The index of the change in the commit. */
  readonly at: number
  readonly change: ChangeTag
  readonly reason: ConflictReason
}> {
  /** Retryable: read the facts and decide again. Every service does this by itself. */
  get isRetryable() {
    return true
  }
}
