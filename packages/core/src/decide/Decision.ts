/**
 * What a decider answers: the changes of one commit and the answer to give once they stand.
 */
import type { Change } from "../domain/Change.ts"

export interface Decision<A> {
  readonly changes: ReadonlyArray<Change>
  readonly answer: A
}

/** Nothing is left to write. */
export const settled = <A>(answer: A): Decision<A> => ({ changes: [], answer })
