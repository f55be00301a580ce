/**
 * Why a use case of contacts is refused.
 */
import * as Data from "effect/Data"
import { NotRetryable } from "../value/NotRetryable.ts"

/** The project has no contact with this ID. */
export class ContactNotFound extends NotRetryable("ContactNotFound", "not_found", "No contact with this ID.")<{
  readonly contactId: string
}> {
  /** Not retryable. */
  declare readonly isRetryable: boolean
}

/** The type of a property cannot change, because contacts have values of the property. */
export class PropertyInUse extends NotRetryable(
  "PropertyInUse",
  "conflict",
  "The type of the property cannot change while contacts have values of it."
)<{ readonly propertyId: string }> {
  /** Not retryable: create another property, or remove the values first. */
  declare readonly isRetryable: boolean
}

/** Filtering the contacts exceeded the time limit. Use a narrower filter, or try again later. */
export class ContactFilterTooSlow extends Data.TaggedError("ContactFilterTooSlow")<{ readonly millis: number }> {
  readonly kind = "unavailable"
  override get message() {
    return `Filtering the contacts took longer than ${this.millis / 1000} seconds. Use a narrower search or segment, or try again later.`
  }
  /** Retryable after some seconds. A narrower filter is better. */
  get isRetryable() {
    return true
  }
}

/** Another contact of the project has this email address. */
export class ContactEmailTaken extends NotRetryable(
  "ContactEmailTaken",
  "duplicate_error",
  "Another contact of this project has this email."
)<{ readonly field: "email" }> {
  /** Not retryable: update the other contact. */
  declare readonly isRetryable: boolean
}
