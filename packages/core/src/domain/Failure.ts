/**
 * Why a use case was refused. Each failure has a `kind`, which is the `error` code of the interface, and the facts.
 * A failure does not contain what the caller sent. The bindings convert failures to answers.
 */
import { Data } from "effect"
import type { Permission } from "./ApiKey.ts"
import type { DeliveryId, DomainId, MessageId } from "./Id.ts"
import type { Issue, IssueContext } from "./Issue.ts"
import { issuesSentence } from "./Issue.ts"
import type { PlanLimitCode } from "./Plan.ts"

/** The request has a wrong form, or it breaks a rule that needs stored data. */
export class InvalidArgument extends Data.TaggedError("InvalidArgument")<{
  readonly context: IssueContext
  readonly issues: ReadonlyArray<Issue>
}> {
  readonly kind = "invalid_argument"
  override get message() {
    return issuesSentence(this.context, this.issues)
  }
}

/** The API key is missing, malformed, unknown, revoked or expired. The failure does not show which. */
export class KeyNotAccepted extends Data.TaggedError("KeyNotAccepted")<{}> {
  readonly kind = "unauthorized"
  override get message() {
    return "The API key is missing or not valid."
  }
}

export class PermissionMissing extends Data.TaggedError("PermissionMissing")<{ readonly permission: Permission }> {
  readonly kind = "not_allowed"
  override get message() {
    return `The API key lacks the permission ${this.permission}.`
  }
}

export class SenderOutsideScope extends Data.TaggedError("SenderOutsideScope")<{ readonly domain: string }> {
  readonly kind = "not_allowed"
  override get message() {
    return "The API key's domain scope does not allow this sender domain."
  }
}

export class SenderDomainNotVerified extends Data.TaggedError("SenderDomainNotVerified")<{ readonly domain: string }> {
  readonly kind = "not_allowed"
  override get message() {
    return "The sender domain is not a verified domain of this project."
  }
}

export class ContactNotFound extends Data.TaggedError("ContactNotFound")<{ readonly contactId: string }> {
  readonly kind = "not_found"
  override get message() {
    return "No contact with this ID."
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

const plurals: Readonly<Record<RecordName, string>> = {
  property: "properties",
  list: "lists",
  segment: "segments",
  suppression: "suppressions",
  domain: "domains",
  template: "templates",
  webhook: "webhooks",
  "event delivery": "event deliveries"
}

export class RecordNotFound extends Data.TaggedError("RecordNotFound")<{
  readonly record: RecordName
  readonly id: string
}> {
  readonly kind = "not_found"
  override get message() {
    return `No ${this.record} with this ID.`
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
}

/** The maximum number of records of a kind is reached. */
export class TooManyRecords extends Data.TaggedError("TooManyRecords")<{
  readonly record: RecordName
  readonly max: number
}> {
  readonly kind = "conflict"
  override get message() {
    return `The limit of ${this.max} ${plurals[this.record]} is reached.`
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
}

/** The type of a property cannot change, because contacts have values of the property. */
export class PropertyInUse extends Data.TaggedError("PropertyInUse")<{ readonly propertyId: string }> {
  readonly kind = "conflict"
  override get message() {
    return "The type of the property cannot change while contacts have values of it."
  }
}

/** Filtering the contacts exceeded the time limit. Use a narrower filter, or try again later. */
export class ContactFilterTooSlow extends Data.TaggedError("ContactFilterTooSlow")<{ readonly millis: number }> {
  readonly kind = "unavailable"
  override get message() {
    return `Filtering the contacts took longer than ${this.millis / 1000} seconds. Use a narrower search or segment, or try again later.`
  }
}

export class MessageNotFound extends Data.TaggedError("MessageNotFound")<{ readonly messageId: string }> {
  readonly kind = "not_found"
  override get message() {
    return "No message with this ID."
  }
}

export class DeliveryNotFound extends Data.TaggedError("DeliveryNotFound")<{ readonly deliveryId: string }> {
  readonly kind = "not_found"
  override get message() {
    return "No delivery with this ID."
  }
}

export class KeyNotFound extends Data.TaggedError("KeyNotFound")<{ readonly apiKeyId: string }> {
  readonly kind = "not_found"
  override get message() {
    return "No API key with this ID."
  }
}

export class ContactEmailTaken extends Data.TaggedError("ContactEmailTaken")<{ readonly field: "email" }> {
  readonly kind = "duplicate_error"
  override get message() {
    return "Another contact of this project has this email."
  }
}

export class DomainTaken extends Data.TaggedError("DomainTaken")<{ readonly domainId: DomainId }> {
  readonly kind = "duplicate_error"
  override get message() {
    return "This project already has this domain."
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
}

export class PlanLimitReached extends Data.TaggedError("PlanLimitReached")<{ readonly code: PlanLimitCode }> {
  readonly kind = "too_many_requests"
  override get message() {
    return planLimitMessages[this.code]
  }
}

const planLimitMessages: Readonly<Record<PlanLimitCode, string>> = {
  daily_sending_limit_exceeded: "The project's daily sending limit is reached.",
  sending_allowance_exceeded: "The project's sending allowance is used up.",
  scheduled_recipient_limit_exceeded: "Too many recipients are waiting in scheduled messages.",
  contact_limit_exceeded: "The project's contact allowance is used up."
}

export type RateLimitScope = "api_key" | "project"

export class RateLimited extends Data.TaggedError("RateLimited")<{
  readonly scope: RateLimitScope
  readonly retryAfterSeconds: number
}> {
  readonly kind = "too_many_requests"
  readonly code = "RATE_LIMITED"
  override get message() {
    return `Too many requests. Retry after ${this.retryAfterSeconds} second${this.retryAfterSeconds === 1 ? "" : "s"}.`
  }
}

/** All failures with which a use case refuses a request. An unreachable store or transport is a failure of its port. */
export type MailFailure =
  | InvalidArgument
  | KeyNotAccepted
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
  | KeyNotFound
  | ContactEmailTaken
  | DomainTaken
  | MessageNotScheduled
  | PlanLimitReached
  | RateLimited
