/**
 * A commit without changes, which writes nothing.
 */
import { Effect } from "effect"
import type { Change } from "../../domain/store/Change.ts"

/** The same function for a list with changes. An empty list succeeds at once: nothing is checked, measured or sent to the store. */
export const skipEmptyCommit =
  <E>(commit: (changes: ReadonlyArray<Change>) => Effect.Effect<void, E>) =>
  (changes: ReadonlyArray<Change>): Effect.Effect<void, E> =>
    changes.length === 0 ? Effect.void : commit(changes)
