/**
 * Checks what a use case is given, with the rules of the wire: a service may be called by more than the HTTP binding.
 */
import { Effect, Result } from "effect"
import type { Caller, Principal } from "../domain/ApiKey.ts"
import { embedder } from "../domain/ApiKey.ts"
import { InvalidArgument } from "../domain/Failure.ts"
import type { Issue, IssueContext } from "../domain/Issue.ts"
import { issue } from "../domain/Issue.ts"
import { isProjectId } from "../domain/Project.ts"

/** The parsed input, or `InvalidArgument` with every issue. Call it before anything is read or written. */
export const validated = <A>(
  parse: (input: unknown) => Result.Result<A, ReadonlyArray<Issue>>,
  input: unknown,
  context: IssueContext = "body"
): Effect.Effect<A, InvalidArgument> =>
  Effect.suspend(() => {
    const parsed = parse(input)
    return Result.isSuccess(parsed)
      ? Effect.succeed(parsed.success)
      : Effect.fail(new InvalidArgument({ context, issues: parsed.failure }))
  })

/**
 * Checks the ids that a call names. A project's has a form that nothing is stored without. Every other id need only be text: one of another
 * form is the id of no record, and is answered so.
 */
export const validIds = (ids: Readonly<Record<string, unknown>>): Effect.Effect<void, InvalidArgument> =>
  Effect.suspend(() => {
    const issues = Object.entries(ids).flatMap(([name, id]) =>
      typeof id !== "string"
        ? [issue([name], "invalid_type", "must be a string")]
        : name === "projectId" && !isProjectId(id)
          ? [issue([name], "invalid_value", "must be 1 to 64 letters, digits, hyphens or underscores")]
          : []
    )
    return issues.length === 0 ? Effect.void : Effect.fail(new InvalidArgument({ context: "path", issues }))
  })

/** The principal of a call, its project's id checked. */
export const validCaller = (caller: Caller): Effect.Effect<Principal, InvalidArgument> =>
  Effect.suspend(() => {
    const principal = typeof caller === "object" && caller !== null ? caller : embedder(caller)
    return Effect.as(validIds({ projectId: principal.projectId }), principal)
  })
