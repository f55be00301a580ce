/**
 * Answers a request that does not match its endpoint's schemas, with all issues of the first part that has any. Source: decision 0009.
 */
import type { ArgumentName } from "@mailkeep/core/binding"
import { distinctIssues, issuesOf } from "@mailkeep/core/binding"
import type { Issue } from "@mailkeep/core"
import { InvalidArgument } from "@mailkeep/core"
import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { WellFormed } from "../api/Access.ts"
import { failureResponse } from "./failureResponse.ts"

const argumentNames: Readonly<Record<string, ArgumentName>> = {
  Params: "ids",
  Headers: "options",
  Query: "filters",
  Payload: "input"
}

/** A query parameter that occurs several times is a list, which no parameter may be. */
const withRepeated = (issues: ReadonlyArray<Issue>, query: Readonly<Record<string, unknown>>): ReadonlyArray<Issue> =>
  issues.map((one) =>
    one.code !== "unknown_field" && Array.isArray(query[String(one.path[0])])
      ? { ...one, code: "invalid_type", message: "must be given once" }
      : one
  )

export const layer = Layer.succeed(WellFormed, (httpEffect) =>
  Effect.catch(httpEffect, (error: unknown) =>
    Effect.flatMap(HttpServerRequest.ParsedSearchParams, (query) => {
      const argument = HttpApiError.HttpApiSchemaError.is(error) ? argumentNames[error.kind] : undefined
      // A response that does not match its own schema is a bug.
      if (!HttpApiError.HttpApiSchemaError.is(error) || argument === undefined) return Effect.die(error)
      const issues = distinctIssues(issuesOf(error.cause.issue))
      return failureResponse(
        new InvalidArgument({ argument, issues: argument === "filters" ? withRepeated(issues, query) : issues })
      )
    })
  )
)
