/**
 * Turns failures into responses: status, body and headers. Only this file maps an error word to a status. Source: docs/spec/coverage.md S11;
 * decision 0009.
 */
import type { InvalidArgument, MailRefusal, SendRefusal, StoreUnavailable } from "@mailkeep/core"
import type { ArgumentName, Issue } from "@mailkeep/core/binding"
import { issuesSentence, bugReports } from "@mailkeep/core/binding"
import { Cause, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { RefusedMessageBody } from "../api/Failures.ts"
import { StoreWarning } from "./storeWarning.ts"
import { RequestScope } from "./RequestScope.ts"

/** The HTTP status of each kind of failure. */
export const statuses = {
  invalid_argument: 400,
  unauthorized: 401,
  not_allowed: 403,
  not_found: 404,
  duplicate_error: 409,
  conflict: 409,
  too_many_requests: 429,
  unavailable: 503
} as const satisfies Readonly<Record<(MailRefusal | StoreUnavailable)["kind"], number>>

interface ErrorBody {
  readonly error: string
  readonly message: string
  readonly [field: string]: unknown
}

/** The header fields that every error response with this status has: a caller may repeat a request that was answered with 503 after one second. */
export const statusHeaders = (status: number): Record<string, string> => (status === 503 ? { "retry-after": "1" } : {})

/** An error response with the request's correlation id. */
export const errorResponse = (
  status: number,
  { error, message, ...rest }: ErrorBody,
  headers: Record<string, string> = {}
) =>
  Effect.map(RequestScope, ({ correlationId }) =>
    HttpServerResponse.jsonUnsafe(
      { error, message, correlationId, ...rest },
      { status, headers: { ...statusHeaders(status), ...headers } }
    )
  )

/** The part of the request that becomes each argument of a service. */
const requestParts = {
  ids: "path",
  options: "headers",
  filters: "query",
  input: "body"
} as const satisfies Readonly<Record<ArgumentName, string>>

/** The options of a service that arrive as header fields. */
const headerNames: Readonly<Record<string, string>> = { idempotencyKey: "idempotency-key" }

const headerPath = ([first, ...rest]: Issue["path"]): Issue["path"] =>
  typeof first === "string" ? [headerNames[first] ?? first, ...rest] : []

/** The issues with the names of the request instead of the names of the arguments. */
const requestIssues = ({ argument, issues }: InvalidArgument) => ({
  context: requestParts[argument],
  issues: argument === "options" ? issues.map((one) => ({ ...one, path: headerPath(one.path) })) : issues
})

const particulars = (
  failure: MailRefusal | StoreUnavailable
): { readonly fields?: Record<string, unknown>; readonly headers?: Record<string, string> } => {
  switch (failure._tag) {
    case "InvalidArgument":
      return { fields: { details: requestIssues(failure) } }
    case "PlanLimitReached":
      return { fields: { code: failure.code } }
    case "RateLimited": {
      const { code, scope, retryAfterSeconds } = failure
      return { fields: { code, scope, retryAfterSeconds }, headers: { "retry-after": String(retryAfterSeconds) } }
    }
    case "InvalidApiKey":
      return { headers: { "www-authenticate": "Bearer" } }
    default:
      return {}
  }
}

/** Logs a bug with the class and the stack of its error. The response shows no internal detail. */
export const bugResponse = (cause: Cause.Cause<unknown>) =>
  Effect.andThen(
    Effect.logError("A request failed by a bug.", ...bugReports(cause)),
    errorResponse(500, { error: "internal_error", message: "Something went wrong here." })
  )

const messageOf = (failure: MailRefusal | StoreUnavailable): string => {
  if (failure._tag === "StoreUnavailable") return "The service cannot take the request now."
  if (failure._tag !== "InvalidArgument") return failure.message
  const { context, issues } = requestIssues(failure)
  return issuesSentence(issues, context)
}

/** The error of one message of a batch. It has no fields of a response, such as the correlation id. */
export const refusedMessageView = (failure: SendRefusal | StoreUnavailable): typeof RefusedMessageBody.Type => ({
  error: failure.kind,
  message: messageOf(failure),
  ...(failure._tag === "InvalidArgument" ? { details: requestIssues(failure) } : {}),
  ...(failure._tag === "PlanLimitReached" ? { code: failure.code } : {})
})

export const failureResponse = (failure: MailRefusal | StoreUnavailable) => {
  // An adapter of the product may fail with an error that its type does not declare.
  if (!Object.hasOwn(statuses, failure.kind)) return bugResponse(Cause.fail(failure))
  const { fields, headers } = particulars(failure)
  const message = messageOf(failure)
  const response = errorResponse(statuses[failure.kind], { error: failure.kind, message, ...fields }, headers)
  return failure._tag === "StoreUnavailable"
    ? Effect.tap(
        response,
        Effect.flatMap(StoreWarning, (warn) => warn(failure))
      )
    : response
}
