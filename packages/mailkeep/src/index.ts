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
export type { OptionalFields } from "./OptionalFields.ts"
export type { LogEntry, LogEntryLevel } from "./logging.ts"

// Sends that commit together with the writes of the product.
export { outboxSql } from "./outbox/outboxSql.ts"
export type { OutboxStatements } from "./outbox/outboxSql.ts"
export type { OutboxReport, OutboxRow, OutboxSource, StoredOutboxRow } from "./outbox/OutboxSource.ts"
export type { PromisedTransactionSends, TransactionSends } from "./TransactionSends.ts"

// Stores, transports and the other adapters.
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
export {
  limiterFromPromises,
  resolverFromPromises,
  sinkFromPromises,
  storeFromPromises,
  transportFromPromises
} from "@mailkeep/core/adapter"
export type {
  PromiseLimiter,
  PromiseResolver,
  PromiseSink,
  PromiseStore,
  PromiseTransport
} from "@mailkeep/core/adapter"
export type { CapturedMessage, StubAct, StubOptions, StubRule } from "@mailkeep/smtp"

// The handle of a project, with the records, inputs and events.
export type * from "@mailkeep/core/handle"

// Failures. Each has `isRetryable` and a message, and most have a `kind`.
export { isMailFailure } from "./failures.ts"
export type { MailFailure } from "./failures.ts"
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
// Only the types, because only a call with an API key fails with these three.
export type { InvalidApiKey, PermissionMissing, SenderOutsideScope } from "@mailkeep/core"
// Only the type, because the class is loaded with the transport. Its `_tag` is "SmtpOptionsInvalid".
export type { SmtpOptionsInvalid } from "./adapters.ts"

// Events, limits, and the groups of options.
export { eventKinds } from "@mailkeep/core"
export type {
  BucketLimit,
  DispatcherOptions,
  DispatchReport,
  EventSenderOptions,
  EventSenderReport,
  HandOffOptions,
  HealthFault,
  HealthOptions,
  HealthReason,
  HealthReport,
  HealthStatus,
  MailHost,
  Plan,
  RelaySetting,
  RetentionOptions,
  RetryPolicy,
  StoreFault,
  UnsubscribeOptions,
  WebhooksOptions,
  WebhookUrlRules
} from "@mailkeep/core"
