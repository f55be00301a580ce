/**
 * What an embedding product imports: the services, their inputs and results, their failures, and `MailCore`, which makes all of them.
 * The entry `@mailkeep/core/adapter` has the ports in detail. The entry `@mailkeep/core/binding` has the schemas of requests.
 *
 * @example
 * ```ts
 * import { Domains, MailCore, PlanSource, Sending } from "@mailkeep/core"
 * import * as NodeCrypto from "@mailkeep/core/node"
 * import { MemoryMailStore } from "@mailkeep/memory"
 * import { StubTransport } from "@mailkeep/smtp"
 * import { Effect, Layer } from "effect"
 *
 * const adapters = Layer.mergeAll(MemoryMailStore.layer, StubTransport.layer(), PlanSource.layerFixed({}), NodeCrypto.layer)
 * const message = { from: "Acme <hi@acme.example>", to: "ada@example.org", subject: "Welcome", text: "Hello." }
 * const program = Effect.gen(function* () {
 *   yield* (yield* Domains).ensure("prj_acme", { domain: "acme.example", verified: true })
 *   const { totalQueued } = yield* (yield* Sending).send("prj_acme", message)
 *   console.log(totalQueued) // 1
 * })
 * await Effect.runPromise(Effect.provide(program, Layer.provide(MailCore.layer, adapters)))
 * ```
 */

export * as MailCore from "./service/MailCore.ts"
export type { MailCoreOptions } from "./service/MailCore.ts"
// The type of `MailCore.layer` names these two. Only the core uses them.
export type { Secrets } from "./service/access/Secrets.ts"
export type { WakeUp } from "./service/delivery/WakeUp.ts"

// Messages and deliveries.
export { Sending } from "./service/message/Sending.ts"
export { TransactionSending } from "./service/message/TransactionSending.ts"
export { DeliveryLog } from "./service/delivery/DeliveryLog.ts"
export { Dispatcher } from "./service/delivery/Dispatcher.ts"
export type { DispatcherHealth, DispatchReport, RelayHealth } from "./service/delivery/Dispatcher.ts"
export type { RetentionOptions } from "./domain/store/Retention.ts"
export type { DispatcherOptions } from "./service/delivery/DispatcherOptions.ts"
export { Feedback } from "./service/delivery/Feedback.ts"
export type { ReceivedReport } from "./service/delivery/Feedback.ts"
export { HandOffs } from "./service/delivery/HandOffs.ts"
export { NotStored } from "./service/delivery/HandOffs.ts"
export type { ClaimLease, HandledStatus, HandOffOptions, Moment } from "./service/delivery/HandOffs.ts"
export type { RetryPolicy } from "./domain/delivery/RetrySchedule.ts"
export type { AttachmentRecord } from "./domain/message/Attachment.ts"
export type { Message } from "./domain/message/Message.ts"
export { deliveryReasons, deliveryStatuses } from "./domain/delivery/DeliveryStatus.ts"

// Contacts.
export { Contacts } from "./service/contact/Contacts.ts"
export { ContactFiles } from "./service/contact/ContactFiles.ts"
export { ContactLists } from "./service/contact/ContactLists.ts"
export { Properties } from "./service/contact/Properties.ts"
export { Segments } from "./service/contact/Segments.ts"
export { Suppressions } from "./service/contact/Suppressions.ts"
export { UnsubscribeLinks } from "./service/contact/UnsubscribeLinks.ts"
export type { UnsubscribeOptions } from "./service/contact/UnsubscribeLinks.ts"
export type { CreateContactOptions } from "./domain/contact/Contact.ts"
export { emailStatuses } from "./domain/contact/EmailStatusTable.ts"
export { suppressionReasons } from "./domain/contact/Suppression.ts"

// Templates, domains and projects.
export { Templates } from "./service/template/Templates.ts"
export { Domains } from "./service/domain-name/Domains.ts"
export type { DomainsOptions } from "./service/domain-name/Domains.ts"
export type { MailHost } from "./domain/domain-name/SenderDomain.ts"
export { Projects } from "./service/access/Projects.ts"
export { ambiguityPolicies } from "./domain/access/Project.ts"

// Events and webhooks.
export { EventSender } from "./service/event/EventSender.ts"
export type { EventHandler, EventSenderReport } from "./service/event/EventSender.ts"
export type { EventSenderOptions } from "./service/event/EventSenderOptions.ts"
export { eventKinds } from "./domain/event/MailEvent.ts"
export { Webhooks } from "./service/webhook/Webhooks.ts"
export type { WebhooksOptions } from "./service/webhook/Webhooks.ts"
export type { WebhookWithSecret } from "./domain/webhook/Webhook.ts"
export type { WebhookUrlRules } from "./domain/webhook/WebhookUrl.ts"

// Access and limits.
export { Access } from "./service/access/Access.ts"
export { ApiKeys } from "./service/access/ApiKeys.ts"
export type { CreatedApiKey } from "./service/access/ApiKeys.ts"
export { MasterSecretRefused } from "./service/access/Secrets.ts"
export { permissions, Principal } from "./domain/access/ApiKey.ts"
export type { Caller, DomainScope } from "./domain/access/ApiKey.ts"
export { noLimits } from "./domain/plan/Plan.ts"
export type { Plan } from "./domain/plan/Plan.ts"
export type { BucketLimit } from "./domain/plan/TokenBucket.ts"
export type { Backlog } from "./domain/store/QueryAnswer.ts"

// Observability.
export type { RelaySetting } from "./domain/delivery/RelaySetting.ts"
export { Health } from "./service/observability/Health.ts"
export type {
  HealthFault,
  HealthOptions,
  HealthReason,
  HealthReport,
  HealthStatus,
  StoreFault
} from "./service/observability/Health.ts"

// The records, inputs and events of all services, with their ids, pages and times.
export type * from "./handle/records.ts"
export { formatInstant, parseInstant } from "./domain/value/Instant.ts"

// Failures.
export {
  ContactEmailTaken,
  ContactFilterTooSlow,
  ContactNotFound,
  PropertyInUse
} from "./domain/contact/ContactFailure.ts"
export { DeliveryNotFound, MessageNotFound, MessageNotScheduled } from "./domain/message/MessageFailure.ts"
export { DomainTaken, SenderDomainNotVerified } from "./domain/domain-name/DomainFailure.ts"
export { InvalidArgument } from "./domain/value/Failure.ts"
export {
  InvalidApiKey,
  ApiKeyNotFound,
  PermissionMissing,
  RateLimited,
  SenderOutsideScope
} from "./domain/access/AccessFailure.ts"
export { NameTaken, RecordNotFound, TooManyRecords } from "./domain/store/RecordFailure.ts"
export { PlanLimitReached } from "./domain/plan/PlanFailure.ts"
export { TemplateNotEditable } from "./domain/template/TemplateFailure.ts"
export type { MailRefusal } from "./domain/value/Failure.ts"
export type { RateLimitScope } from "./domain/access/AccessFailure.ts"
export type { RecordName } from "./domain/store/RecordFailure.ts"
export { StoreNotOpened, StoreUnavailable, TransactionRefused } from "./port/MailStore.ts"

// Ports that a product provides. Adapters implement them by `@mailkeep/core/adapter`.
export { Crypto } from "./port/Crypto.ts"
export { DnsResolver } from "./port/DnsResolver.ts"
export { EventSink } from "./port/EventSink.ts"
export { IdSource } from "./port/IdSource.ts"
export { MailStore } from "./port/MailStore.ts"
export { PlanSource } from "./port/PlanSource.ts"
export { RateLimiter } from "./port/RateLimiter.ts"
export type { RateDecision } from "./port/RateLimiter.ts"
export { Transport } from "./port/Transport.ts"
