/**
 * The error bodies of the wire, one class for each status. Source: docs/spec/coverage.md S11; decision 0009.
 */
import { issueCodes } from "@mailkeep/core/binding"
import { Schema } from "effect"

const body = <const E extends string>(error: E) => ({
  error: Schema.Literal(error),
  message: Schema.String,
  correlationId: Schema.String
})

const Issue = Schema.Struct({
  path: Schema.Array(Schema.Union([Schema.String, Schema.Int])),
  code: Schema.Literals(Object.keys(issueCodes) as Array<keyof typeof issueCodes>),
  message: Schema.String
}).annotate({ identifier: "Issue" })

const Details = Schema.Struct({
  context: Schema.Literals(["path", "headers", "query", "body"]),
  issues: Schema.Array(Issue)
}).annotate({ identifier: "InvalidArgumentDetails" })

export class InvalidArgumentBody extends Schema.Error<InvalidArgumentBody>("InvalidArgument")(
  { ...body("invalid_argument"), details: Details },
  { httpApiStatus: 400 }
) {}

/** @public Exported only because declaration files refer to it. */
export class UnauthorizedBody extends Schema.Error<UnauthorizedBody>("Unauthorized")(body("unauthorized"), {
  httpApiStatus: 401
}) {}

/** @public Exported only because declaration files refer to it. */
export class NotAllowedBody extends Schema.Error<NotAllowedBody>("NotAllowed")(body("not_allowed"), {
  httpApiStatus: 403
}) {}

export class NotFoundBody extends Schema.Error<NotFoundBody>("NotFound")(body("not_found"), { httpApiStatus: 404 }) {}

export class DuplicateBody extends Schema.Error<DuplicateBody>("Duplicate")(body("duplicate_error"), {
  httpApiStatus: 409
}) {}

export class ConflictBody extends Schema.Error<ConflictBody>("Conflict")(body("conflict"), { httpApiStatus: 409 }) {}

/** @public Exported only because declaration files refer to it. */
export class BodyTooLargeBody extends Schema.Error<BodyTooLargeBody>("BodyTooLarge")(body("invalid_argument"), {
  httpApiStatus: 413
}) {}

/** @public Exported only because declaration files refer to it. */
export class BodyTimeoutBody extends Schema.Error<BodyTimeoutBody>("BodyTimeout")(body("invalid_argument"), {
  httpApiStatus: 408
}) {}

/** The refusals of every endpoint that reads a body. */
export const bodyRefusals = [BodyTimeoutBody, BodyTooLargeBody] as const

const planLimitCodes = [
  "daily_sending_limit_exceeded",
  "sending_allowance_exceeded",
  "scheduled_recipient_limit_exceeded",
  "contact_limit_exceeded"
] as const

/** The body of a rate limit (`scope`, `retryAfterSeconds`) or of a plan limit. */
export class TooManyRequestsBody extends Schema.Error<TooManyRequestsBody>("TooManyRequests")(
  {
    ...body("too_many_requests"),
    code: Schema.Literals(["RATE_LIMITED", ...planLimitCodes]),
    scope: Schema.optionalKey(Schema.Literals(["api_key", "project"])),
    retryAfterSeconds: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)))
  },
  { httpApiStatus: 429 }
) {}

/** @public Exported only because declaration files refer to it. */
export class InternalErrorBody extends Schema.Error<InternalErrorBody>("InternalError")(body("internal_error"), {
  httpApiStatus: 500
}) {}

/** @public Exported only because declaration files refer to it. */
export class UnavailableBody extends Schema.Error<UnavailableBody>("Unavailable")(body("unavailable"), {
  httpApiStatus: 503
}) {}

/** The result of a message of a batch that is refused: an error without the fields of a response. Source: decision 0048. */
export const RefusedMessageBody = Schema.Struct({
  error: Schema.Literals(["invalid_argument", "unauthorized", "not_allowed", "too_many_requests", "unavailable"]),
  message: Schema.String,
  code: Schema.optionalKey(Schema.Literals(planLimitCodes)),
  details: Schema.optionalKey(Details)
}).annotate({ identifier: "RefusedMessage" })

/** The refusals of every endpoint. */
export const everywhere = [
  InvalidArgumentBody,
  UnauthorizedBody,
  NotAllowedBody,
  InternalErrorBody,
  UnavailableBody
] as const
