/**
 * Why a use case of named records is refused, such as lists, segments, templates and webhooks.
 */
import { NotRetryable } from "../value/NotRetryable.ts"
import { resourcesMax } from "./Resource.ts"

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
  | "event"
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
  event: "events",
  subscription: "subscriptions"
}

/** The project has no record of this kind with this ID, alias or address. */
export class RecordNotFound extends NotRetryable("RecordNotFound", "not_found")<{
  readonly record: RecordName
  /** The ID or alias of the call: for an event, that of its event delivery. Empty for a suppression, which has no ID. */
  readonly id: string
}> {
  override get message() {
    if (this.record === "suppression") return "No suppression of this address."
    if (this.record === "event") return "The event of this event delivery has been deleted."
    return `No ${this.record} with this ID${this.record === "template" ? " or alias" : ""}.`
  }
  /** Not retryable. */
  declare readonly isRetryable: boolean
}

/** Another record of this kind in the project has the same name. */
export class NameTaken extends NotRetryable("NameTaken", "duplicate_error")<{
  readonly record: RecordName
  readonly field: string
}> {
  override get message() {
    return `Another ${this.record} of this project has this ${this.field}.`
  }
  /** Not retryable: use another name. */
  declare readonly isRetryable: boolean
}

/**
 * What a call that failed with `TooManyRecords` needs first. A template is archived and not deleted. Archived templates count for the limit of all
 * templates alone.
 */
const howToMakeRoom = (record: RecordName, max: number): string => {
  if (record !== "template") return `Delete a ${record} first.`
  return max > resourcesMax ? "Change an existing template instead." : "Archive a template first."
}

/** A project has the maximum number of records of a kind, or a contact is on the maximum number of lists. */
export class TooManyRecords extends NotRetryable("TooManyRecords", "conflict")<{
  readonly record: RecordName
  readonly max: number
  /** What has the maximum number of records. Default: the project. */
  readonly owner?: "contact" | "program"
}> {
  override get message() {
    const limit = `its limit of ${this.max} ${plurals[this.record]}`
    if (this.owner === "contact") return `The contact has reached ${limit}. Remove the contact from a list first.`
    if (this.owner === "program") return `The program has reached ${limit}. Use the name of an existing subscription.`
    return `The project has reached ${limit}. ${howToMakeRoom(this.record, this.max)}`
  }
  /** Not retryable: the message says what the call needs first, such as the deletion of a record of this kind. */
  declare readonly isRetryable: boolean
}
