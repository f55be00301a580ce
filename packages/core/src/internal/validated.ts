/**
 * Validates the input of a use case by the rules of the wire, because not only the HTTP binding calls a service.
 */
import { Effect, Result } from "effect"
import type { Caller } from "../domain/access/ApiKey.ts"
import { Principal } from "../domain/access/ApiKey.ts"
import { InvalidArgument } from "../domain/value/Failure.ts"
import type { ArgumentName, Issue } from "../domain/value/Issue.ts"
import { issue } from "../domain/value/Issue.ts"
import type { ProjectId } from "../domain/access/Project.ts"
import { isProjectId } from "../domain/access/Project.ts"

/** Returns the parsed input, or fails with `InvalidArgument` and every issue. Call it before the first read or write. */
export const validated = <A>(
  parse: (input: unknown) => Result.Result<A, ReadonlyArray<Issue>>,
  input: unknown,
  argument: ArgumentName = "input"
): Effect.Effect<A, InvalidArgument> =>
  Effect.suspend(() => {
    const parsed = parse(input)
    return Result.isSuccess(parsed)
      ? Effect.succeed(parsed.success)
      : Effect.fail(new InvalidArgument({ argument, issues: parsed.failure }))
  })

/**
 * Checks the ids of a call. The id of a project must have its form, because a record is stored under it. Every other id must only be a string:
 * an id of another form matches no record.
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
    return issues.length === 0 ? Effect.void : Effect.fail(new InvalidArgument({ argument: "ids", issues }))
  })

/** Returns the project of a caller, without a check. */
const projectOf = (caller: Caller): ProjectId =>
  typeof caller === "object" && caller !== null ? caller.projectId : caller

/** Returns the project of a call. Fails with an issue for the id of the project and for each other id that is not valid. */
export const validProject = (
  caller: Caller,
  otherIds: Readonly<Record<string, unknown>> = {}
): Effect.Effect<ProjectId, InvalidArgument> =>
  Effect.suspend(() => {
    const projectId = projectOf(caller)
    return Effect.as(validIds({ projectId, ...otherIds }), projectId)
  })

/** Returns the principal of a call. Fails when the id of its project is not valid. */
export const validCaller = (caller: Caller): Effect.Effect<Principal, InvalidArgument> =>
  Effect.suspend(() => {
    const principal = typeof caller === "object" && caller !== null ? caller : Principal.embedded(caller)
    return Effect.as(validIds({ projectId: principal.projectId }), principal)
  })
