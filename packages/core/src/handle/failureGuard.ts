/**
 * Recognizes the failures of a call without their classes, so that it loads no part of Effect.
 */
import type { MailRefusal } from "../domain/value/Failure.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"

/** Everything with which a service of the core refuses a call or fails. */
export type ServiceFailure = MailRefusal | StoreUnavailable

/** The `kind` of each failure of a union, by its `_tag`; `null` for a failure without a `kind`. A failure that is missing does not compile. */
export type FailureKinds<F extends { readonly _tag: string }> = {
  readonly [T in F["_tag"]]: Extract<F, { readonly _tag: T }> extends { readonly kind: infer K } ? K : null
}

/** The failures of the services, each with its `kind`. */
export const serviceFailureKinds: FailureKinds<ServiceFailure> = {
  InvalidArgument: "invalid_argument",
  InvalidApiKey: "unauthorized",
  PermissionMissing: "not_allowed",
  SenderOutsideScope: "not_allowed",
  SenderDomainNotVerified: "not_allowed",
  ContactNotFound: "not_found",
  RecordNotFound: "not_found",
  MessageNotFound: "not_found",
  DeliveryNotFound: "not_found",
  ApiKeyNotFound: "not_found",
  NameTaken: "duplicate_error",
  ContactEmailTaken: "duplicate_error",
  DomainTaken: "duplicate_error",
  TooManyRecords: "conflict",
  PropertyInUse: "conflict",
  TemplateNotEditable: "conflict",
  MessageNotScheduled: "conflict",
  PlanLimitReached: "too_many_requests",
  RateLimited: "too_many_requests",
  ContactFilterTooSlow: "unavailable",
  StoreUnavailable: "unavailable"
}

/**
 * Makes the type guard of a union of failures. It compares `_tag` and `kind` and not the class, so that it also knows the failures of another copy of
 * a package. An error of the product with the same `_tag` but another `kind` is no failure of Mailkeep.
 */
export const failureGuard = <F extends { readonly _tag: string }>(
  kinds: FailureKinds<F>
): ((error: unknown) => error is F) => {
  const kindOf = new Map<unknown, unknown>(Object.entries(kinds))
  return (error): error is F => {
    if (!(error instanceof Error) || !("_tag" in error) || !("isRetryable" in error)) return false
    const kind = "kind" in error ? error.kind : null
    return kindOf.get(error._tag) === kind && typeof error.isRetryable === "boolean"
  }
}
