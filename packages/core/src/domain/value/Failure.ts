/**
 * Why a use case was refused. Each failure has a `kind`, which is the `error` code of the interface, and the facts.
 * The getter `isRetryable` says whether the same call can succeed later, without a change of its arguments or of the stored records.
 * A failure does not contain what the caller sent. The bindings convert failures to answers.
 */
import { Data } from "effect"
import type { Permission } from "../access/ApiKey.ts"
import type { DeliveryId, DomainId, MessageId } from "./Id.ts"
import type { ArgumentName, Issue } from "./Issue.ts"
import { issuesSentence } from "./Issue.ts"
import type { PlanLimitCode } from "../plan/Plan.ts"

/**
 * An argument of the call has a wrong form, or it breaks a rule that needs stored data. The list `issues` names each wrong field by its path.
 * The text `message` describes the first issue: "from must be a bare mailbox, and 1 more".
 */
export class InvalidArgument extends Data.TaggedError("InvalidArgument")<{
  readonly argument: ArgumentName
  readonly issues: ReadonlyArray<Issue>
}> {
  readonly kind = "invalid_argument"
  override get message() {
    return issuesSentence(this.issues)
  }
  /** No. Correct the fields that `issues` names. */
  get isRetryable() {
    return false
  }
}

/** The API key is missing, malformed, unknown, revoked or expired. The failure does not show which. */
export class ApiKeyNotAccepted extends Data.TaggedError("ApiKeyNotAccepted")<{}> {
  readonly kind = "unauthorized"
  override get message() {
    return "The API key is missing or not valid."
  }
  /** No. Use another API key. */
  get isRetryable() {
    return false
  }
}

/** The API key does not have the permission that the call needs. */
export class PermissionMissing extends Data.TaggedError("PermissionMissing")<{ readonly permission: Permission }> {
  readonly kind = "not_allowed"
  override get message() {
    return `The API key lacks the permission ${this.permission}.`
  }
  /** No. Use an API key with the permission. */
  get isRetryable() {
    return false
  }
}

/** The domain of the sender is not in the domain scope of the API key. */
export class SenderOutsideScope extends Data.TaggedError("SenderOutsideScope")<{ readonly domain: string }> {
  readonly kind = "not_allowed"
  override get message() {
    return "The API key's domain scope does not allow this sender domain."
  }
  /** No. Use another sender, or an API key with another domain scope. */
  get isRetryable() {
    return false
  }
}

/** The project does not have the domain of the sender, or the domain is not verified. */
export class SenderDomainNotVerified extends Data.TaggedError("SenderDomainNotVerified")<{ readonly domain: string }> {
  readonly kind = "not_allowed"
  override get message() {
    return "The sender domain is not a verified domain of this project."
  }
  /** No. Add and verify the domain first. */
  get isRetryable() {
    return false
  }
}

/** The project has no contact with this ID. */
export class ContactNotFound extends Data.TaggedError("ContactNotFound")<{ readonly contactId: string }> {
  readonly kind = "not_found"
  override get message() {
    return "No contact with this ID."
  }
  /** No. */
  get isRetryable() {
    return false
  }
}

/** The kinds of records, other than contacts, messages and deliveries, in failures. */
export type RecordName =
  | "property"
  | "list"
  | "segment"
  | "suppression"
  | "domain"
  | "template"
  | "webhook"
  | "event delivery"
  | "subscription"

const plurals: Readonly<Record<RecordName, string>> = {
  property: "properties",
  list: "lists",
  segment: "segments",
  suppression: "suppressions",
  domain: "domains",
  template: "templates",
  webhook: "webhooks",
  "event delivery": "event deliveries",
  subscription: "subscriptions"
}

/** The project has no record of this kind with this ID, alias or address. */
export class RecordNotFound extends Data.TaggedError("RecordNotFound")<{
  readonly record: RecordName
  /** The ID or alias of the call. Empty for a suppression, which has no ID. */
  readonly id: string
}> {
  readonly kind = "not_found"
  override get message() {
    if (this.record === "suppression") return "No suppression of this address."
    return `No ${this.record} with this ID${this.record === "template" ? " or alias" : ""}.`
  }
  /** No. */
  get isRetryable() {
    return false
  }
}

/** Another record of this kind in the project has the same name. */
export class NameTaken extends Data.TaggedError("NameTaken")<{
  readonly record: RecordName
  readonly field: string
}> {
  readonly kind = "duplicate_error"
  override get message() {
    return `Another ${this.record} of this project has this ${this.field}.`
  }
  /** No. Use another name. */
  get isRetryable() {
    return false
  }
}

/** What a call that failed with `TooManyRecords` needs first. A template is archived and not deleted, and an archived template counts. */
const howToMakeRoom = (record: RecordName): string =>
  record === "template" ? "Change an existing template instead." : `Delete a ${record} first.`

/** A project has the maximum number of records of a kind, or a contact is on the maximum number of lists. */
export class TooManyRecords extends Data.TaggedError("TooManyRecords")<{
  readonly record: RecordName
  readonly max: number
  /** What has the maximum number of records. Default: the project. */
  readonly owner?: "contact" | "program"
}> {
  readonly kind = "conflict"
  override get message() {
    const limit = `its limit of ${this.max} ${plurals[this.record]}`
    if (this.owner === "contact") return `The contact has reached ${limit}. Remove the contact from a list first.`
    if (this.owner === "program") return `The program has reached ${limit}. Use the name of an existing subscription.`
    return `The project has reached ${limit}. ${howToMakeRoom(this.record)}`
  }
  /** No. The message says what the call needs first, such as the deletion of a record of this kind. */
  get isRetryable() {
    return false
  }
}

/** The template is archived, or it has no draft to publish. */
export class TemplateNotEditable extends Data.TaggedError("TemplateNotEditable")<{
  readonly templateId: string
  readonly reason: "archived" | "no_draft"
}> {
  readonly kind = "conflict"
  override get message() {
    return this.reason === "archived" ? "The template is archived." : "The template has no draft to publish."
  }
  /** No. Create another template, or change the template so that it has a draft. */
  get isRetryable() {
    return false
  }
}

/** The type of a property cannot change, because contacts have values of the property. */
export class PropertyInUse extends Data.TaggedError("PropertyInUse")<{ readonly propertyId: string }> {
  readonly kind = "conflict"
  override get message() {
    return "The type of the property cannot change while contacts have values of it."
  }
  /** No. Create another property, or remove the values first. */
  get isRetryable() {
    return false
  }
}

/** Filtering the contacts exceeded the time limit. Use a narrower filter, or try again later. */
export class ContactFilterTooSlow extends Data.TaggedError("ContactFilterTooSlow")<{ readonly millis: number }> {
  readonly kind = "unavailable"
  override get message() {
    return `Filtering the contacts took longer than ${this.millis / 1000} seconds. Use a narrower search or segment, or try again later.`
  }
  /** Yes, after some seconds. A narrower filter is better. */
  get isRetryable() {
    return true
  }
}

/** The project has no message with this ID. */
export class MessageNotFound extends Data.TaggedError("MessageNotFound")<{ readonly messageId: string }> {
  readonly kind = "not_found"
  override get message() {
    return "No message with this ID."
  }
  /** No. */
  get isRetryable() {
    return false
  }
}

/** The project has no delivery with this ID. */
export class DeliveryNotFound extends Data.TaggedError("DeliveryNotFound")<{ readonly deliveryId: string }> {
  readonly kind = "not_found"
  override get message() {
    return "No delivery with this ID."
  }
  /** No. */
  get isRetryable() {
    return false
  }
}

/** There is no API key with this ID. */
export class ApiKeyNotFound extends Data.TaggedError("ApiKeyNotFound")<{ readonly apiKeyId: string }> {
  readonly kind = "not_found"
  override get message() {
    return "No API key with this ID."
  }
  /** No. */
  get isRetryable() {
    return false
  }
}

/** Another contact of the project has this email address. */
export class ContactEmailTaken extends Data.TaggedError("ContactEmailTaken")<{ readonly field: "email" }> {
  readonly kind = "duplicate_error"
  override get message() {
    return "Another contact of this project has this email."
  }
  /** No. Update the other contact. */
  get isRetryable() {
    return false
  }
}

/** The project already has this domain. `domainId` is its ID. */
export class DomainTaken extends Data.TaggedError("DomainTaken")<{ readonly domainId: DomainId }> {
  readonly kind = "duplicate_error"
  override get message() {
    return "This project already has this domain."
  }
  /** No. Use the existing domain. */
  get isRetryable() {
    return false
  }
}

/** A delivery of the message is no longer `scheduled`, so the message cannot be canceled or rescheduled. */
export class MessageNotScheduled extends Data.TaggedError("MessageNotScheduled")<{
  readonly messageId: MessageId
  readonly deliveryId: DeliveryId
}> {
  readonly kind = "conflict"
  override get message() {
    return "The message is no longer scheduled."
  }
  /** No. A message never becomes `scheduled` again. */
  get isRetryable() {
    return false
  }
}

/** The call would exceed a limit of the plan of the project. `code` is the limit. */
export class PlanLimitReached extends Data.TaggedError("PlanLimitReached")<{ readonly code: PlanLimitCode }> {
  readonly kind = "too_many_requests"
  override get message() {
    return planLimitMessages[this.code]
  }
  /** Yes, for the daily limit after midnight UTC, and for scheduled recipients after some are queued or canceled. No for the other limits. */
  get isRetryable() {
    return this.code === "daily_sending_limit_exceeded" || this.code === "scheduled_recipient_limit_exceeded"
  }
}

const planLimitMessages: Readonly<Record<PlanLimitCode, string>> = {
  daily_sending_limit_exceeded: "The project's daily sending limit is reached.",
  sending_allowance_exceeded: "The project's sending allowance is used up.",
  scheduled_recipient_limit_exceeded: "Too many recipients are waiting in scheduled messages.",
  contact_limit_exceeded: "The project's contact allowance is used up."
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
  /** Yes, after `retryAfterSeconds`. */
  get isRetryable() {
    return true
  }
}

/** All failures with which a use case refuses a request. An unreachable store or transport is a failure of its port. */
export type MailFailure =
  | InvalidArgument
  | ApiKeyNotAccepted
  | PermissionMissing
  | SenderOutsideScope
  | SenderDomainNotVerified
  | ContactNotFound
  | RecordNotFound
  | NameTaken
  | TooManyRecords
  | PropertyInUse
  | ContactFilterTooSlow
  | TemplateNotEditable
  | MessageNotFound
  | DeliveryNotFound
  | ApiKeyNotFound
  | ContactEmailTaken
  | DomainTaken
  | MessageNotScheduled
  | PlanLimitReached
  | RateLimited
