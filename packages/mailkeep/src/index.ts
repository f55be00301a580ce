/**
 * A mail core inside your product: sending, scheduling, a delivery log, contacts, templates, webhooks and events, with promises.
 *
 * @example
 * ```ts
 * import { openMail, sqlite, stub } from "mailkeep"
 *
 * const mail = await openMail({
 *   store: sqlite("mail.db"),
 *   transport: stub(), // or smtp(process.env.SMTP_URL)
 *   domains: ["acme.example"],
 *   from: "Acme <hi@acme.example>"
 * })
 * await mail.send({ to: "ada@example.org", subject: "Welcome", html: "<p>Hello.</p>", idempotencyKey: "welcome:ada" })
 * await mail.close()
 * ```
 */
export { lazyMail, openMail } from "./openMail.ts"
export { sharedMail } from "./sharedMail.ts"
export type {
  Mail,
  MailOutbox,
  MailProject,
  MailRuntime,
  MailServices,
  ProjectHandleOptions,
  ProjectOutbox,
  ProjectsHandle,
  TickReport,
  TransactionClient,
  TransactionConnection
} from "./Mail.ts"
export type { MailOptions } from "./MailOptions.ts"
export type { LogEntry, LogEntryLevel } from "./logging.ts"

// Sends that commit together with the writes of the product.
export { outboxSql } from "./outbox/outboxSql.ts"
export type { OutboxStatements } from "./outbox/outboxSql.ts"
export type { OutboxReport, OutboxRow, OutboxSource, StoredOutboxRow } from "./outbox/OutboxSource.ts"
export type { PromisedTransactionSends, TransactionSends } from "./TransactionSends.ts"

// Stores, transports and event sinks.
export { memory, smtp, sqlite, stub } from "./adapters.ts"
export type {
  SmtpAccessToken,
  SmtpPassword,
  SmtpRelayOptions,
  SqliteStoreOptions,
  StoreAdapter,
  StubAdapter,
  TransportAdapter
} from "./adapters.ts"
export { sinkFromPromises, storeFromPromises, transportFromPromises } from "@mailkeep/core/adapter"
export type { PromiseSink, PromiseStore, PromiseTransport } from "@mailkeep/core/adapter"
export type { CapturedMessage, StubAct, StubOptions, StubRule } from "@mailkeep/smtp"

// The handle of a project.
export type * from "@mailkeep/core/handle"

// Failures. Each has a `kind`, `isRetryable` and a message.
export {
  ApiKeyNotFound,
  ContactEmailTaken,
  ContactFilterTooSlow,
  ContactNotFound,
  DeliveryNotFound,
  DomainTaken,
  InvalidArgument,
  MasterSecretRefused,
  MessageNotFound,
  MessageNotScheduled,
  NameTaken,
  PlanLimitReached,
  PropertyInUse,
  RateLimited,
  RecordNotFound,
  SenderDomainNotVerified,
  StoreNotOpened,
  StoreUnavailable,
  TemplateNotEditable,
  TooManyRecords,
  TransactionRefused
} from "@mailkeep/core"
export type { Issue, IssueCode, MailFailure, SendRefusal, StoreUnavailableReason } from "@mailkeep/core"
// Only the type, because the class is loaded with the transport. Its `_tag` is "SmtpOptionsInvalid".
export type { SmtpOptionsInvalid } from "./adapters.ts"

// Records, inputs and events.
export { eventKinds } from "@mailkeep/core"
export type {
  ApiKey,
  BucketLimit,
  CanceledMessage,
  Contact,
  ContactDetail,
  ContactFilterInput,
  ContactList,
  ContentAttachmentInput,
  CreateApiKeyInput,
  CreateContactInput,
  CreateContactListInput,
  CreateDomainInput,
  CreatePropertyInput,
  CreateSegmentInput,
  CreateTemplateInput,
  CreateWebhookInput,
  CursorInput,
  CursorPage,
  DeliveryDetail,
  DeliveryMessage,
  DeliveryReason,
  DeliveryReport,
  DeliveryStatus,
  DeliveryStory,
  DeliverySummary,
  DispatchReport,
  EnsureTemplateInput,
  ErasureReport,
  EventKind,
  EventSenderReport,
  FileRow,
  HealthReport,
  ImportedRow,
  ImportOptions,
  ListContactsInput,
  ListDeliveriesInput,
  ListDomainsInput,
  ListEventsInput,
  ListSuppressionsInput,
  ListTemplatesInput,
  ListTemplateVersionsInput,
  MailEvent,
  MailEventOf,
  Page,
  PageInput,
  Permission,
  Plan,
  PlannedSend,
  PreviewTemplateInput,
  Project,
  ProjectId,
  Property,
  PublishedTemplate,
  RecordedReport,
  RenderedTemplate,
  RescheduledMessage,
  Segment,
  SendBatchOptions,
  SenderDomain,
  SendInput,
  SendOptions,
  SendResult,
  Suppression,
  SuppressionReason,
  Template,
  TemplateSummary,
  TemplateVariable,
  TemplateVersionItem,
  TimeInput,
  UpdateContactInput,
  UpdateContactListInput,
  UpdateProjectInput,
  UpdatePropertyInput,
  UpdateSegmentInput,
  UpdateTemplateInput,
  UpdateWebhookInput,
  UsageAudit,
  Webhook,
  WebhookDelivery,
  WebhookTestResult
} from "@mailkeep/core"
