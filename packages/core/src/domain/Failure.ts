/**
 * Why a use case was refused. Each failure carries `kind`, the interface's `error` word, and the facts; none carries what the
 * caller sent. Bindings turn them into answers; the core never does.
 */
import { Data } from "effect"
import type { Permission } from "./ApiKey.ts"
import type { DeliveryId, DomainId, MessageId } from "./Id.ts"
import type { Issue, IssueContext } from "./Issue.ts"
import { issuesSentence } from "./Issue.ts"
import type { PlanLimitCode } from "./Plan.ts"

/** The request does not have the form it must have, or breaks a rule that is looked up. */
export class InvalidArgument extends Data.TaggedError("InvalidArgument")<{
  readonly context: IssueContext
  readonly issues: ReadonlyArray<Issue>
}> {
  readonly kind = "invalid_argument"
  override get message() {
    return issuesSentence(this.context, this.issues)
  }
}

/** The key is missing, malformed, unknown, revoked or expired; which of them is not told. */
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

/** What a project has, other than contacts, messages and deliveries, as people call it. */
export type RecordName = "property" | "list" | "segment" | "suppression" | "domain" | "template" | "webhook" | "push"

export class RecordNotFound extends Data.TaggedError("RecordNotFound")<{
  readonly record: RecordName
  readonly id: string
}> {
  readonly kind = "not_found"
  override get message() {
    return `No ${this.record} with this ID.`
  }
}

/** Another record of this kind in the project has the name. */
export class NameTaken extends Data.TaggedError("NameTaken")<{
  readonly record: RecordName
  readonly field: string
}> {
  readonly kind = "duplicate_error"
  override get message() {
    return `Another ${this.record} of this project has this ${this.field}.`
  }
}

/** A project has as many of these as it may have. */
export class TooManyRecords extends Data.TaggedError("TooManyRecords")<{
  readonly record: RecordName
  readonly max: number
}> {
  readonly kind = "conflict"
  override get message() {
    return `The project has ${this.max} of these, which is as many as it may have: ${this.record}.`
  }
}

/** Only the draft of a template that is not archived can be changed or published. */
export class TemplateNotEditable extends Data.TaggedError("TemplateNotEditable")<{
  readonly templateId: string
  readonly reason: "archived" | "no_draft"
}> {
  readonly kind = "conflict"
  override get message() {
    return this.reason === "archived" ? "The template is archived." : "The template has no draft to publish."
  }
}

/** Contacts have values of the property, so its type cannot change. */
export class PropertyInUse extends Data.TaggedError("PropertyInUse")<{ readonly propertyId: string }> {
  readonly kind = "conflict"
  override get message() {
    return "The type of a property changes only while no contact has a value of it."
  }
}

/** Filtering the contacts took longer than a request may take. A narrower filter helps, and so may trying again later. */
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

export class KeyNotFound extends Data.TaggedError("KeyNotFound")<{ readonly keyId: string }> {
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

/** A delivery of the message has left `scheduled`, so it can no longer be canceled or rescheduled. */
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
    return planLimitWords[this.code]
  }
}

const planLimitWords: Readonly<Record<PlanLimitCode, string>> = {
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

/** Everything a use case may refuse with; a store or transport out of reach is a port's failure. */
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
