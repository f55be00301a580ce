/**
 * Answers a request that does not match its endpoint's schemas, with all issues of the first part that has any. Source: decision 0009.
 */
import type { ArgumentName } from "@mailkeep/core/binding"
import { distinctIssues, issuesOf } from "@mailkeep/core/binding"
import { InvalidArgument } from "@mailkeep/core"
import { Effect, Layer } from "effect"
import { HttpApiError } from "effect/http-api"
import { WellFormed } from "../api/Access.ts"
import { failureResponse } from "./failureResponse.ts"

const argumentNames: Readonly<Record<string, ArgumentName>> = {
  Params: "ids",
  Headers: "options",
  Query: "filters",
  Payload: "input"
}

export const layer = Layer.succeed(WellFormed, (httpEffect) =>
  Effect.catch(httpEffect, (error: unknown) => {
    const argument = HttpApiError.HttpApiSchemaError.is(error) ? argumentNames[error.kind] : undefined
    // A response that does not match its own schema is a bug.
    if (!HttpApiError.HttpApiSchemaError.is(error) || argument === undefined) return Effect.die(error)
    const issues = distinctIssues(issuesOf(error.cause.issue))
    return failureResponse(new InvalidArgument({ argument, issues }))
  })
)
