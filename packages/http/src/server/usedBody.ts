/**
 * Detects a request whose body the product has read before. Its send cannot be read again, and the mistake is the product's.
 */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { errorResponse } from "./failureResponse.ts"

/** What the product has to change. */
export const bodyReadMessage =
  "The body of this request was read before Mailkeep received the request. Mount Mailkeep before the body parser."

/** Whether something has read the body. Only a web-standard request shows it. */
export const isBodyRead = ({ source }: HttpServerRequest.HttpServerRequest): boolean =>
  "bodyUsed" in source && source.bodyUsed === true

/** A 500, because the caller of the interface cannot repair the request. */
export const bodyReadResponse = Effect.andThen(
  Effect.logError(bodyReadMessage),
  errorResponse(500, { error: "internal_error", message: bodyReadMessage })
)
