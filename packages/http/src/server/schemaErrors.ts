/**
 * Answers a request that does not match its endpoint's schemas, with all issues of the first part that has any. Source: decision 0009.
 */
import type { IssueContext } from "@mailkeep/core"
import { distinctIssues, InvalidArgument, issuesOf } from "@mailkeep/core"
import { Effect, Layer } from "effect"
import { HttpApiError } from "effect/http-api"
import { WellFormed } from "../api/Access.ts"
import { failureResponse } from "./failureResponse.ts"

const contexts: Readonly<Record<string, IssueContext>> = {
  Params: "path",
  Headers: "headers",
  Query: "query",
  Payload: "body"
}

export const layer = Layer.succeed(WellFormed, (httpEffect) =>
  Effect.catch(httpEffect, (error: unknown) => {
    const context = HttpApiError.HttpApiSchemaError.is(error) ? contexts[error.kind] : undefined
    // A response that does not match its own schema is a bug.
    if (!HttpApiError.HttpApiSchemaError.is(error) || context === undefined) return Effect.die(error)
    const issues = distinctIssues(issuesOf(error.cause.issue))
    return failureResponse(new InvalidArgument({ context, issues }))
  })
)
