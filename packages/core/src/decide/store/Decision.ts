/**
 * The result of a decision: the changes of one commit, and the answer to return after the commit.
 */
import type { Change } from "../../domain/store/Change.ts"

export interface Decision<A> {
  readonly changes: ReadonlyArray<Change>
  readonly answer: A
}

/** A decision without changes. */
export const unchanged = <A>(answer: A): Decision<A> => ({ changes: [], answer })
