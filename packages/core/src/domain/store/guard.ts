/**
 * The guard of a change that replaces a revision, and the reasons why a guard fails.
 */

/** Why the guard of a change failed. `Exhausted`: the counter would exceed its maximum. */
export type ConflictReason = "AlreadyExists" | "NotFound" | "Stale" | "Exhausted"

/** Compares the existing record with the revision that was read; `null` means that no record existed. Returns the conflict, if any. */
export const revisionConflict = (
  existing: { readonly revision: number } | null | undefined,
  replaces: number | null
): ConflictReason | undefined => {
  if (replaces === null) return existing ? "AlreadyExists" : undefined
  if (!existing) return "NotFound"
  return existing.revision === replaces ? undefined : "Stale"
}
