/**
 * The failure of a commit whose guard does not hold.
 */
import { Data } from "effect"
import type { ChangeTag } from "./Change.ts"

/** Why the guard of a change failed. */
export const conflictReasons = ["AlreadyExists", "NotFound", "Stale", "Exhausted"] as const

/** Why the guard of a change failed. `Exhausted`: the counter would exceed its maximum. */
export type ConflictReason = (typeof conflictReasons)[number]

/** A guard failed, so the store applied no change of the commit. This is normal: another commit can change the facts after they are read. */
export class Conflict extends Data.TaggedError("Conflict")<{
  /** The index of the change in the commit. */
  readonly at: number
  readonly change: ChangeTag
  readonly reason: ConflictReason
}> {
  /** Yes. Read the facts and decide again. Every service does this by itself. */
  get isRetryable() {
    return true
  }
}

/** Compares the existing record with the revision that was read; `null` means that no record existed. Returns the conflict, if any. */
export const revisionConflict = (
  existing: { readonly revision: number } | null | undefined,
  replaces: number | null
): ConflictReason | undefined => {
  if (replaces === null) return existing ? "AlreadyExists" : undefined
  if (!existing) return "NotFound"
  return existing.revision === replaces ? undefined : "Stale"
}
