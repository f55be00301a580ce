/**
 * Why a use case was refused. Each failure has a `kind`, which is the `error` code of the interface, and the facts.
 * The getter `isRetryable` says whether the same call can succeed later, without a change of its arguments or of the stored records.
 * A failure does not contain what the caller sent. The bindings convert failures to answers.
 */
import type {
  ApiKeyNotFound,
  InvalidApiKey,
  PermissionMissing,
  RateLimited,
  SenderOutsideScope
} from "../access/AccessFailure.ts"
import type {
  ContactEmailTaken,
  ContactFilterTooSlow,
  ContactNotFound,
  PropertyInUse
} from "../contact/ContactFailure.ts"
import type { DomainTaken, SenderDomainNotVerified } from "../domain-name/DomainFailure.ts"
import type { DeliveryNotFound, MessageNotFound, MessageNotScheduled } from "../message/MessageFailure.ts"
import type { PlanLimitReached } from "../plan/PlanFailure.ts"
import type { NameTaken, RecordNotFound, TooManyRecords } from "../store/RecordFailure.ts"
import type { TemplateNotEditable } from "../template/TemplateFailure.ts"
import type { ArgumentName, Issue } from "./Issue.ts"
import { issuesSentence } from "./issuesSentence.ts"
import { NotRetryable } from "./NotRetryable.ts"

/**
 * An argument of the call has a wrong form, or it breaks a rule that needs stored data. The list `issues` names each wrong field by its path.
 * The text `message` describes the first issue: "from must be a bare mailbox, and 1 more".
 */
export class InvalidArgument extends NotRetryable("InvalidArgument", "invalid_argument")<{
  readonly argument: ArgumentName
  readonly issues: ReadonlyArray<Issue>
}> {
  override get message() {
    // A mock of the module reads the getters of the prototype, which has no issues.
    return issuesSentence((this.issues as ReadonlyArray<Issue> | undefined) ?? [])
  }
  /** Not retryable: correct the fields that `issues` names. */
  declare readonly isRetryable: boolean
}

/** All failures with which a use case refuses a request. An unreachable store or transport is a failure of its port. */
export type MailRefusal =
  | InvalidArgument
  | InvalidApiKey
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
