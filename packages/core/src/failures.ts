/**
 * The failures of the core alone, for a client that loads nothing else of the core. `@mailkeep/core` exports the same classes.
 *
 * @example
 * ```ts
 * import { InvalidArgument } from "@mailkeep/core/failures"
 *
 * const issue = { path: ["to", 0], code: "invalid_value", message: "must be a bare mailbox" } as const
 * console.log(new InvalidArgument({ argument: "input", issues: [issue] }).message) // to[0] must be a bare mailbox
 * ```
 */
export {
  ApiKeyNotFound,
  InvalidApiKey,
  PermissionMissing,
  RateLimited,
  SenderOutsideScope
} from "./domain/access/AccessFailure.ts"
export {
  ContactEmailTaken,
  ContactFilterTooSlow,
  ContactNotFound,
  PropertyInUse
} from "./domain/contact/ContactFailure.ts"
export { DomainTaken, SenderDomainNotVerified } from "./domain/domain-name/DomainFailure.ts"
export { DeliveryNotFound, MessageNotFound, MessageNotScheduled } from "./domain/message/MessageFailure.ts"
export { PlanLimitReached } from "./domain/plan/PlanFailure.ts"
export { NameTaken, RecordNotFound, TooManyRecords } from "./domain/store/RecordFailure.ts"
export { TemplateNotEditable } from "./domain/template/TemplateFailure.ts"
export { InvalidArgument } from "./domain/value/Failure.ts"
export type { MailRefusal } from "./domain/value/Failure.ts"
export type { ArgumentName, Issue, IssueCode } from "./domain/value/Issue.ts"
export type { RecordName } from "./domain/store/RecordFailure.ts"
export { StoreUnavailable } from "./port/MailStore.ts"
export type { StoreUnavailableReason } from "./domain/store/Conflict.ts"
