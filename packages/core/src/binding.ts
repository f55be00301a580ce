/**
 * What the author of a binding imports, such as the HTTP binding and the command. Here are the schemas of requests, their limits and
 * closed lists, and the tools that turn an issue or a time into text.
 *
 * @example
 * ```ts
 * import { issuesSentence, parseInstant } from "@mailkeep/core/binding"
 *
 * console.log(parseInstant("2026-12-24T18:00:00+01:00")) // 1798131600000
 * console.log(issuesSentence([{ path: ["to", 0], message: "must be a bare mailbox" }], "body")) // body.to[0] must be a bare mailbox
 * ```
 */

// Schemas of requests, for a description of the API. The services validate by the same schemas.
export { CreateListBody, UpdateListBody } from "./domain/contact/ContactList.ts"
export { CreateContactBody, UpdateContactBody } from "./domain/contact/ContactRequest.ts"
export { CreatePropertySchema, fallbackIssues, propertyTypes, UpdatePropertySchema } from "./domain/contact/Property.ts"
export { CreateSegmentBody, UpdateSegmentBody } from "./domain/contact/Segment.ts"
export { domainNameRule, isMailHostName, mailHostRules } from "./domain/domain-name/SenderDomain.ts"
export { parseAddress, parseDomain } from "./domain/message/Address.ts"
export { RescheduleBody, parseReschedule } from "./domain/message/SendingWindow.ts"
export { headerValueCharactersMax, isOwnHeaderField, joinIds } from "./domain/message/HeaderField.ts"
export { isIdField } from "./domain/message/structuredField.ts"
export { batchItemsMax } from "./domain/message/SendBatch.ts"
export { IdempotencyKey, parseSendOptions } from "./domain/message/SendOptions.ts"
export { parseSend, SendBody } from "./domain/message/SendRequest.ts"
export {
  parsePreviewTemplate,
  PreviewTemplateBody,
  templateRules,
  templateVariablesMax,
  variableIssues,
  variableRules,
  variablesRule
} from "./domain/template/TemplateInput.ts"
export { CreateWebhookBody, UpdateWebhookBody } from "./domain/webhook/WebhookInput.ts"
export { isBytes } from "./domain/value/Bytes.ts"
export { isFields } from "./domain/value/Fields.ts"
export type { Fields } from "./domain/value/Fields.ts"
export { logParts } from "./domain/value/LogParts.ts"
export { base64Steps } from "./domain/value/Base64.ts"
export type { Steps } from "./domain/value/Steps.ts"
export { allSteps } from "./domain/value/Steps.ts"
export { AttachmentBody, attachmentsMax, dispositions } from "./domain/message/Attachment.ts"
export { toFileType } from "./domain/message/mediaTypes.ts"
export { isAscii } from "./domain/value/TextLength.ts"
export { Mailbox, textOf } from "./domain/value/TextRule.ts"

// Closed lists and limits.
export { ambiguityPolicies, isProjectId } from "./domain/access/Project.ts"
export { permissions } from "./domain/access/ApiKey.ts"
export type { Permission, Principal } from "./domain/access/ApiKey.ts"
export { contactSources } from "./domain/contact/Contact.ts"
export { segmentOps } from "./domain/contact/ContactPredicate.ts"
export { emailStatuses } from "./domain/contact/EmailStatusTable.ts"
export { suppressionReasons } from "./domain/contact/Suppression.ts"
export { attemptOutcomes } from "./domain/delivery/Delivery.ts"
export { deliveryReasons, deliveryStatuses } from "./domain/delivery/DeliveryStatus.ts"
export { enhancedCodeForm } from "./domain/delivery/DeliveryReport.ts"
export type { BounceCause } from "./domain/delivery/DeliveryReport.ts"
export {
  addressSource,
  causeByEnhancedCode,
  isAboutRecipient,
  isDeliveryTimeExpired,
  refusalSentence,
  saysDomainUnknown,
  saysMailboxMissing,
  saysMailboxUnavailable,
  saysMailboxUnknown,
  saysNoMailAccepted,
  saysOtherCause,
  textDecidesFor
} from "./domain/delivery/refusalCause.ts"
export { dnsPurposes, dnsRecordStatuses, domainStatuses } from "./domain/domain-name/SenderDomain.ts"
export { contactFields } from "./domain/event/WebhookBody.ts"
export { parseSubscription } from "./domain/event/SubscriptionInput.ts"
export type { ValidSubscription } from "./domain/event/SubscriptionInput.ts"
export { eventDeliveryStatuses } from "./domain/event/EventDelivery.ts"
export { eventKinds } from "./domain/event/MailEvent.ts"
export { cursorCharactersMax, pageLimitDefault, pageLimitMax, searchCharactersMax } from "./domain/store/Paging.ts"
export { versionBodiesBytesMax } from "./domain/template/Template.ts"
export { templateStatuses, variableTypes, versionStatuses } from "./domain/template/TemplateContent.ts"
export { webhookStatuses } from "./domain/webhook/Webhook.ts"
export { isAddressRange } from "./domain/value/NetworkAddress.ts"
export { webhookUrlRules } from "./domain/webhook/WebhookUrl.ts"
export type { WebhookUrlRules } from "./domain/webhook/WebhookUrl.ts"

// Failures, issues and times.
export { InvalidArgument } from "./domain/value/Failure.ts"
export type { MailRefusal } from "./domain/value/Failure.ts"
export {
  decoder,
  distinctIssues,
  issue,
  issueCodes,
  issuesOf,
  issuesSentence,
  says,
  withRules
} from "./domain/value/Issue.ts"
export type { ArgumentName, Issue, IssueCode } from "./domain/value/Issue.ts"
export {
  dayMillis,
  formatInstant,
  formatInstantOrNull,
  hourMillis,
  minuteMillis,
  parseInstant,
  parseInstantOrDay,
  secondMillis
} from "./domain/value/Instant.ts"
export type { Instant } from "./domain/value/Instant.ts"
export { StoreUnavailable } from "./port/MailStore.ts"
export type { StoreUnavailableReason } from "./domain/store/Conflict.ts"

// The mail that a stub transport kept, for the development mailbox.
export { MailCapture, nextOutcomes } from "./port/MailCapture.ts"
export type { CapturedMail, MailCaptureShape, MailSource, NextOutcome } from "./port/MailCapture.ts"
export { isId } from "./domain/value/Id.ts"
export { isUnsubscribeUrl } from "./domain/contact/unsubscribeUrl.ts"
export { hostAndPort, isLoopbackAddress, isLoopbackHost } from "./domain/value/NetworkAddress.ts"

// The form in which a binding logs bugs and warnings, and shares memory among its clients.
export { bugReports, errorNameOf } from "./domain/observability/bugReport.ts"
export type { BugReport } from "./domain/observability/bugReport.ts"
export { makeLogLimit } from "./telemetry/logLimit.ts"
export { makeStoreFailureLog } from "./telemetry/storeFailureLog.ts"
export type { StoreFailureLog } from "./telemetry/storeFailureLog.ts"
export type { LoggedFailures, LogLimit } from "./telemetry/logLimit.ts"
export { makeKeyedBudget } from "./domain/value/KeyedBudget.ts"
export type { KeyedBudget } from "./domain/value/KeyedBudget.ts"

// The table of metrics, for a page or a dashboard.
export { metricTable } from "./domain/observability/metricTable.ts"
export type { MetricName, MetricRow } from "./domain/observability/metricTable.ts"
