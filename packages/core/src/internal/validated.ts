/**
 * Runs a parser of the wire on what a caller in process gives, so that both ways in have the same rules.
 */
import { Effect, Result } from "effect"
import { InvalidArgument } from "../domain/Failure.ts"
import type { Issue } from "../domain/Issue.ts"

/** The parsed input, or `InvalidArgument` of the context `body` with every issue that the parser found. */
export const validated = <A>(
  parse: (input: unknown) => Result.Result<A, ReadonlyArray<Issue>>,
  input: unknown
): Effect.Effect<A, InvalidArgument> => {
  const parsed = parse(input)
  return Result.isSuccess(parsed)
    ? Effect.succeed(parsed.success)
    : Effect.fail(new InvalidArgument({ context: "body", issues: parsed.failure }))
}
