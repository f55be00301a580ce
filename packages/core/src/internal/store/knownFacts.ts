/**
 * Facts that this process already knows, for the first try of a commit.
 */
import { Effect } from "effect"

/**
 * Gives `known` once and `load` afterwards. The guards of the commit notice when a known fact is no longer true; the next try then loads. Make
 * a new one for each commit.
 */
export const knownFirst = <A, E, R>(
  known: Effect.Effect<A, E, R>,
  load: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  let isFirst = true
  return Effect.suspend(() => {
    if (!isFirst) return load
    isFirst = false
    return known
  })
}
