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
export type { DeliveryAttempt, DeliveryDetail, DeliveryMessage } from "./domain/delivery/DeliveryDetail.ts"
export type {
  DeliveryEntry,
  DeliveryEntryKind,
  DeliveryEntryOf,
  DeliveryNow,
  DeliveryStory,
  ExplainedEventDelivery
} from "./domain/delivery/DeliveryStory.ts"
export type { ListDeliveriesInput, ListEventsInput } from "./domain/delivery/DeliveryLogInput.ts"
export { Dispatcher } from "./service/delivery/Dispatcher.ts"
export type {
  DispatcherHealth,
  DispatcherOptions,
  DispatchReport,
  RelayHealth,
  RetentionOptions
} from "./service/delivery/Dispatcher.ts"
export { Feedback } from "./service/delivery/Feedback.ts"
export type { ReceivedReport } from "./service/delivery/Feedback.ts"
export type { RecordedReport } from "./decide/delivery/recordReport.ts"
export type { BounceCause, DeliveryReport, ReportKind } from "./domain/delivery/DeliveryReport.ts"
export { HandOffs } from "./service/delivery/HandOffs.ts"
export { NotStored } from "./service/delivery/HandOffs.ts"
export type { ClaimLease, HandledStatus, HandOffOptions, Moment } from "./service/delivery/HandOffs.ts"
export type { RetryPolicy } from "./domain/delivery/RetrySchedule.ts"
export type { CanceledMessage, RescheduledMessage } from "./decide/message/scheduledMessage.ts"
export type { SendRefusal, SendResult } from "./decide/message/acceptSend.ts"
export type { PlannedContent, PlannedRecipient, PlannedSend, PlannedUsage } from "./decide/message/plannedSend.ts"
export type { SendBatchOptions } from "./domain/message/SendBatch.ts"
export type { SendInput } from "./domain/message/SendInput.ts"
export type {
  AttachmentInput,
  AttachmentRecord,
  AttachmentSummary,
  ContentAttachmentInput,
  Disposition,
  PathAttachmentInput
} from "./domain/message/Attachment.ts"
export type { SendOptions, ShownRecipientsInput } from "./domain/message/SendOptions.ts"
export type { Message } from "./domain/message/Message.ts"
export type { HeaderFields } from "./domain/message/HeaderField.ts"
export { deliveryReasons, deliveryStatuses } from "./domain/delivery/DeliveryStatus.ts"
export type { DeliveryReason, DeliveryStatus } from "./domain/delivery/DeliveryStatus.ts"
export type { AttemptOutcome, BounceType, DeliverySummary, RecipientKind } from "./domain/delivery/Delivery.ts"

// Contacts.
export { Contacts } from "./service/contact/Contacts.ts"
export { ContactFiles } from "./service/contact/ContactFiles.ts"
export type { FileRow, ImportedRow, RowOutcome } from "./service/contact/ContactFiles.ts"
export { ContactLists } from "./service/contact/ContactLists.ts"
export { Properties } from "./service/contact/Properties.ts"
export { Segments } from "./service/contact/Segments.ts"
export { Suppressions } from "./service/contact/Suppressions.ts"
export { UnsubscribeLinks } from "./service/contact/UnsubscribeLinks.ts"
export type { UnsubscribeOptions } from "./service/contact/UnsubscribeLinks.ts"
export type { Contact, ContactDetail, ContactSource, CreateContactOptions } from "./domain/contact/Contact.ts"
export type { ErasedCounts, ErasedKind, ErasureReport } from "./domain/contact/Erasure.ts"
export type { ImportOptions } from "./domain/contact/ContactFile.ts"
export type { ContactList, CreateContactListInput, UpdateContactListInput } from "./domain/contact/ContactList.ts"
export type {
  ListContactsInput,
  ContactFilterInput,
  CreateContactInput,
  PropertiesInput,
  UpdateContactInput
} from "./domain/contact/ContactRequest.ts"
export type {
  CreatePropertyInput,
  Property,
  PropertyType,
  PropertyValue,
  UpdatePropertyInput
} from "./domain/contact/Property.ts"
export type {
  CreateSegmentInput,
  Segment,
  SegmentField,
  SegmentFilter,
  UpdateSegmentInput
} from "./domain/contact/Segment.ts"
export type { SegmentOp, SegmentValue } from "./domain/contact/ContactPredicate.ts"
export { emailStatuses } from "./domain/contact/EmailStatusTable.ts"
export type { EmailStatus } from "./domain/contact/EmailStatusTable.ts"
export { suppressionReasons } from "./domain/contact/Suppression.ts"
export type { Suppression, SuppressionReason } from "./domain/contact/Suppression.ts"
export type { ListSuppressionsInput } from "./domain/contact/SuppressionRequest.ts"

// Templates, domains and projects.
export { Templates } from "./service/template/Templates.ts"
export type { RenderedTemplate } from "./decide/template/renderTemplate.ts"
export type {
  PublishedTemplate,
  Template,
  TemplateSummary,
  TemplateVersion,
  TemplateVersionItem,
  TemplateVersionSummary
} from "./domain/template/Template.ts"
export type {
  TemplateStatus,
  TemplateVariable,
  VariableType,
  VariableValue,
  VersionStatus
} from "./domain/template/TemplateContent.ts"
export type {
  CreateTemplateInput,
  EnsureTemplateInput,
  ListTemplatesInput,
  ListTemplateVersionsInput,
  PreviewTemplateInput,
  TemplateVariableInput,
  UpdateTemplateInput
} from "./domain/template/TemplateInput.ts"
export { Domains } from "./service/domain-name/Domains.ts"
export type { DomainsOptions } from "./service/domain-name/Domains.ts"
export type {
  CreateDomainInput,
  DnsPurpose,
  DnsRecord,
  DnsRecordStatus,
  DomainStatus,
  ListDomainsInput,
  MailHost,
  SenderDomain
} from "./domain/domain-name/SenderDomain.ts"
export { Projects } from "./service/access/Projects.ts"
export { ambiguityPolicies } from "./domain/access/Project.ts"
export type { OnAmbiguous, Project, ProjectId, UpdateProjectInput } from "./domain/access/Project.ts"

// Events and webhooks.
export { EventSender } from "./service/event/EventSender.ts"
export type { EventHandler, EventSenderOptions, EventSenderReport } from "./service/event/EventSender.ts"
export { eventKinds } from "./domain/event/MailEvent.ts"
export type {
  Bounce,
  BouncedEventData,
  ContactEventData,
  DeletedContactEventData,
  DeliveryEventData,
  DomainEventData,
  EventKind,
  FailedEventData,
  MailEvent,
  MailEventOf
} from "./domain/event/MailEvent.ts"
export type { EventDeliveryAttempt, EventDeliveryStatus } from "./domain/event/EventDelivery.ts"
export { Webhooks } from "./service/webhook/Webhooks.ts"
export type { WebhooksOptions } from "./service/webhook/Webhooks.ts"
export type { Webhook, WebhookStatus, WebhookTestResult, WebhookWithSecret } from "./domain/webhook/Webhook.ts"
export type { WebhookUrlRules } from "./domain/webhook/WebhookUrl.ts"
export type { WebhookDelivery } from "./domain/webhook/WebhookDelivery.ts"
export type { CreateWebhookInput, UpdateWebhookInput } from "./domain/webhook/WebhookInput.ts"

// Access and limits.
export { Access } from "./service/access/Access.ts"
export { ApiKeys } from "./service/access/ApiKeys.ts"
export type { CreatedApiKey } from "./service/access/ApiKeys.ts"
export { MasterSecretRefused } from "./service/access/Secrets.ts"
export { permissions, Principal } from "./domain/access/ApiKey.ts"
export type { ApiKey, Caller, CreateApiKeyInput, DomainScope, Permission } from "./domain/access/ApiKey.ts"
export { noLimits } from "./domain/plan/Plan.ts"
export type { Plan, PlanLimitCode } from "./domain/plan/Plan.ts"
export type { BucketLimit } from "./domain/plan/TokenBucket.ts"
export type { Backlog, UsageAudit } from "./domain/store/Query.ts"

// Observability.
export { Health } from "./service/observability/Health.ts"
export type {
  HealthFault,
  HealthOptions,
  HealthReason,
  HealthReport,
  HealthStatus,
  StoreFault
} from "./service/observability/Health.ts"

// Ids and metadata.
export type { Json } from "./domain/value/CanonicalJson.ts"
export type {
  ApiKeyId,
  ContactId,
  DeliveryId,
  DomainId,
  EventDeliveryId,
  EventId,
  Id,
  IdPrefix,
  MessageId
} from "./domain/value/Id.ts"
export type { ResourceId, ResourceKind } from "./domain/store/StoredResource.ts"

// Pages and times.
export type { CursorInput, CursorPage, Page, PageInput } from "./domain/store/Paging.ts"
export { formatInstant, parseInstant } from "./domain/value/Instant.ts"
export type { Instant, TimeInput } from "./domain/value/Instant.ts"

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
export type { MailFailure } from "./domain/value/Failure.ts"
export type { RateLimitScope } from "./domain/access/AccessFailure.ts"
export type { RecordName } from "./domain/store/RecordFailure.ts"
export type { ArgumentName, Issue, IssueCode } from "./domain/value/Issue.ts"
export { StoreNotOpened, StoreUnavailable, TransactionRefused } from "./port/MailStore.ts"
export type { StoreUnavailableReason } from "./domain/store/Conflict.ts"

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
