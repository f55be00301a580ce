/**
 * The result of a decision: the changes of one commit, and the answer to return after the commit. A decision refuses an input whose check needs the
 * clock or stored records.
 */
import { Result } from "effect"
import type { Change } from "../../domain/store/Change.ts"
import { InvalidArgument } from "../../domain/value/Failure.ts"
import type { Issue } from "../../domain/value/Issue.ts"

export interface Decision<A> {
  readonly changes: ReadonlyArray<Change>
  readonly answer: A
}

/** A decision without changes. */
export const unchanged = <A>(answer: A): Decision<A> => ({ changes: [], answer })

/** Refuses the input of a use case, with an issue for each wrong field. */
export const invalidInput = (issues: ReadonlyArray<Issue>): Result.Result<never, InvalidArgument> =>
  Result.fail(new InvalidArgument({ argument: "input", issues }))
