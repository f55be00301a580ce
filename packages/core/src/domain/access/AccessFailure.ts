/**
 * Why an API key may not do something: the key, its permission, its domain scope or its rate limit.
 */
import * as Data from "effect/Data"
import { NotRetryable } from "../value/NotRetryable.ts"
import type { Permission } from "./ApiKey.ts"

/** The API key is missing, malformed, unknown, revoked or expired. The failure does not show which. */
export class InvalidApiKey extends NotRetryable(
  "InvalidApiKey",
  "unauthorized",
  "The API key is missing or not valid."
) {
  /** Not retryable: use another API key. */
  declare readonly isRetryable: boolean
}

/** The API key does not have the permission that the call needs. */
export class PermissionMissing extends NotRetryable("PermissionMissing", "not_allowed")<{
  readonly permission: Permission
}> {
  override get message() {
    return `The API key lacks the permission ${this.permission}.`
  }
  /** Not retryable: use an API key with the permission. */
  declare readonly isRetryable: boolean
}

/** The domain of the sender is not in the domain scope of the API key. */
export class SenderOutsideScope extends NotRetryable(
  "SenderOutsideScope",
  "not_allowed",
  "The API key's domain scope does not allow this sender domain."
)<{
  /** The sender domain; `null` from a client over HTTP for every call except a send, because the response does not show it. */
  readonly domain: string | null
}> {
  /** Not retryable: use another sender, or an API key with another domain scope. */
  declare readonly isRetryable: boolean
}

/** There is no API key with this ID. */
export class ApiKeyNotFound extends NotRetryable("ApiKeyNotFound", "not_found", "No API key with this ID.")<{
  readonly apiKeyId: string
}> {
  /** Not retryable. */
  declare readonly isRetryable: boolean
}

/** What a rate limit counts: the requests of one API key, or of the whole project. A refused test of a webhook has the scope `project`. */
export type RateLimitScope = "api_key" | "project"

/** The API key or the project has made too many requests, or too many tests of webhooks are under way. `scope` says which of them is limited. */
export class RateLimited extends Data.TaggedError("RateLimited")<{
  readonly scope: RateLimitScope
  readonly retryAfterSeconds: number
}> {
  readonly kind = "too_many_requests"
  /** The `code` of the response over HTTP. */
  readonly code = "RATE_LIMITED"
  override get message() {
    return `Too many requests. Retry after ${this.retryAfterSeconds} second${this.retryAfterSeconds === 1 ? "" : "s"}.`
  }
  /** Retryable after `retryAfterSeconds`. */
  get isRetryable() {
    return true
  }
}
