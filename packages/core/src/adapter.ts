/**
 * What the author of an adapter imports: the ports, and the records, changes, claims and queries of a store.
 *
 * @example
 * ```ts
 * import { inCommitOrder } from "@mailkeep/core/adapter"
 * import type { Change } from "@mailkeep/core/adapter"
 *
 * const changes: ReadonlyArray<Change> = [
 *   { _tag: "AddToCounter", projectId: "prj_acme", name: "contacts", by: 1, max: null },
 *   { _tag: "PutSetting", name: "color", value: "blue" }
 * ]
 * console.log(inCommitOrder(changes).map(({ _tag }) => _tag).join(", ")) // PutSetting, AddToCounter
 * ```
 */

// Ports. An adapter implements one of them.
export { EventSink, SinkUnavailable } from "./port/EventSink.ts"
export type { EventSinkCapabilities, EventSinkShape, SinkRequest } from "./port/EventSink.ts"
export { MailStore, StoreNotOpened, StoreUnavailable, TransactionRefused } from "./port/MailStore.ts"
export type { JoinedTransaction, MailStoreShape, StoreCapabilities } from "./port/MailStore.ts"
export { wrapStore } from "./port/wrapStore.ts"
export { HandOffRevoked, Transport, TransportUnavailable } from "./port/Transport.ts"
export type {
  DkimSignature,
  HandOff,
  HandOffOutcome,
  OutgoingAttachment,
  OutgoingMessage,
  TransportCapabilities,
  TransportShape
} from "./port/Transport.ts"
export { MailCapture, nextOutcomes } from "./port/MailCapture.ts"
export type { CapturedMail, MailCaptureShape, MailSource, NextOutcome } from "./port/MailCapture.ts"
export { Crypto } from "./port/Crypto.ts"
export type { RsaKeyPair } from "./port/Crypto.ts"
export { DnsFailure, DnsResolver } from "./port/DnsResolver.ts"
export type { DnsResolverShape, MailExchange } from "./port/DnsResolver.ts"
export { FileNotRead, FileReader } from "./port/FileReader.ts"
export type { FileReaderShape } from "./port/FileReader.ts"
export { PlanSource } from "./port/PlanSource.ts"
export { RateLimiter } from "./port/RateLimiter.ts"
export { drawMore, drawToken, fullBucket } from "./domain/plan/TokenBucket.ts"
export type { Bucket, BucketLimit, BucketState } from "./domain/plan/TokenBucket.ts"
export type { BucketRef, BucketRefs, RateDecision } from "./port/RateLimiter.ts"

// The measurements of a store that commits in groups.
export { recordMetric } from "./telemetry/metrics.ts"

// The same ports for adapters that use promises.
export { limiterFromPromises } from "./port/PromiseLimiter.ts"
export type { PromiseLimiter } from "./port/PromiseLimiter.ts"
export { resolverFromPromises } from "./port/PromiseResolver.ts"
export type { PromiseResolver } from "./port/PromiseResolver.ts"
export { sinkFromPromises } from "./port/PromiseSink.ts"
export type { PromiseSink } from "./port/PromiseSink.ts"
export { storeFromPromises } from "./port/PromiseStore.ts"
export type { PromiseStore, RefusedChange } from "./port/PromiseStore.ts"
export { transportFromPromises } from "./port/PromiseTransport.ts"
export type { PromiseHandOff, PromiseTransport } from "./port/PromiseTransport.ts"

// The language of a store.
export { changeOrder, inCommitOrder, projectIdOfChange, recordKeyOf, recordOf } from "./domain/store/commitOrder.ts"
export { Conflict } from "./domain/store/Conflict.ts"
export type { StoreUnavailableReason } from "./domain/store/Conflict.ts"
export { revisionConflict } from "./domain/store/guard.ts"
export type { ConflictReason } from "./domain/store/guard.ts"
export type * from "./domain/store/Change.ts"
export { claimKinds, isDue, sweepKinds } from "./domain/store/Claim.ts"
export type * from "./domain/store/Claim.ts"
export { longestDueFirst, roundRobin, wholeRotation } from "./domain/store/Rotation.ts"
export type * from "./domain/store/Rotation.ts"
export type * from "./domain/store/Query.ts"
export type * from "./domain/store/QueryAnswer.ts"
export type { Lease } from "./domain/store/Lease.ts"
export {
  compareRecordKeys,
  isSameRecord,
  projectIdOf,
  recordKinds,
  removableKinds,
  rewritableKinds,
  storedRecordKey
} from "./domain/store/StoredRecord.ts"
export type * from "./domain/store/StoredRecord.ts"
export { newestFirst } from "./domain/store/Paging.ts"
export { indexedStatuses, indexedStatusOf, noLogFilters } from "./domain/delivery/LogFilters.ts"
export { caseFold, containsPart, foldedParts } from "./domain/store/textSearch.ts"
export type { Page, PageRequest, Position } from "./domain/store/Paging.ts"
export type { IndexedStatus, LogFilters, LogFilterMessage } from "./domain/delivery/LogFilters.ts"
export {
  evaluateBacklog,
  evaluateContactPage,
  evaluateContactScan,
  evaluateDomainPage,
  evaluateDomainsDue,
  evaluateEventDeliveryPage,
  evaluateEvents,
  evaluateEventsOfDelivery,
  evaluateLeasesSetAfter,
  evaluateLogPage,
  evaluateMessagesBefore,
  evaluateNextDue,
  evaluatePendingEventDeliveries,
  evaluateRecords,
  evaluateRecordsByKey,
  evaluateResourcePage,
  evaluateResources,
  evaluateSuppressionPage,
  evaluateUsageAudit,
  evaluateWorkHealth
} from "./domain/store/queryReference.ts"
export {
  deliveryInstants,
  evaluateMessageSweep,
  hasEndedBefore,
  nextSweptPosition,
  sweptCounts,
  withDeletedCounts
} from "./domain/store/messageSweep.ts"
export type { SweptCount } from "./domain/store/messageSweep.ts"

// The records that a store keeps.
export { sendingSources } from "./domain/access/ApiKey.ts"
export type { ApiKeyRecord, DomainScope, Permission, SendingSource } from "./domain/access/ApiKey.ts"
export { ambiguityPolicies } from "./domain/access/Project.ts"
export type { OnAmbiguous, ProjectId, ProjectRecord } from "./domain/access/Project.ts"
export { contactSources } from "./domain/contact/Contact.ts"
export type { ContactRecord, ContactSource } from "./domain/contact/Contact.ts"
export { compilePredicate, noContactFilters, searchedTexts } from "./domain/contact/ContactPredicate.ts"
export type { ComparedField, ContactFilters, ContactPredicate } from "./domain/contact/ContactPredicate.ts"
export { emailStatuses, emailStatusTable } from "./domain/contact/EmailStatusTable.ts"
export type { EmailStatus, EmailStatusRow } from "./domain/contact/EmailStatusTable.ts"
export { suppressionReasons } from "./domain/contact/Suppression.ts"
export type { SuppressionReason, SuppressionRecord } from "./domain/contact/Suppression.ts"
export { attemptOutcomes, attemptPhases, deliveryState, freshAttempt, freshState } from "./domain/delivery/Delivery.ts"
export type * from "./domain/delivery/Delivery.ts"
export { claimableStatuses, terminalStatuses } from "./domain/delivery/DeliveryMachine.ts"
export { deliveryReasons, deliveryStatuses } from "./domain/delivery/DeliveryStatus.ts"
export { deliveryTable } from "./domain/delivery/DeliveryTable.ts"
export { emittedBy } from "./domain/delivery/DeliveryRow.ts"
export type { DeliveryReason, DeliveryStatus } from "./domain/delivery/DeliveryStatus.ts"
export type { DeliveryRow } from "./domain/delivery/DeliveryRow.ts"
export { refusalTable } from "./domain/delivery/SmtpReply.ts"
export type { RelaySetting } from "./domain/delivery/RelaySetting.ts"
export type { RefusalMeaning, RefusalRow, SmtpReply, SmtpStage } from "./domain/delivery/SmtpReply.ts"
export { domainStatuses, noDomainFilters } from "./domain/domain-name/SenderDomain.ts"
export type { DkimKey, DomainDkim, DomainFilters, SenderDomainRecord } from "./domain/domain-name/SenderDomain.ts"
export { eventDeliveryState } from "./domain/event/EventDelivery.ts"
export type * from "./domain/event/EventDelivery.ts"
export type { EventRecord } from "./domain/event/EventRecord.ts"
export type { EventKind } from "./domain/event/MailEvent.ts"
export type { AttachmentRecord, Disposition } from "./domain/message/Attachment.ts"
export { chunkBytes, chunkCountOf, chunksOf } from "./domain/message/attachmentContent.ts"
export { calendarMethodOf, toFileType } from "./domain/message/mediaTypes.ts"
export { isNamedField, isStructuredField } from "./domain/message/structuredField.ts"
export type { HeaderFields } from "./domain/message/HeaderField.ts"
export type { AcceptedSend, IdempotencyRecord } from "./domain/message/Idempotency.ts"
export type { Message } from "./domain/message/Message.ts"
export { noLimits } from "./domain/plan/Plan.ts"
export type { Counter, CounterName, Plan } from "./domain/plan/Plan.ts"
export type { Resource, ResourceKind, ResourceOf } from "./domain/store/Resource.ts"
export type { ResourceId, StoredResource } from "./domain/store/StoredResource.ts"
export { compareIds } from "./domain/value/Id.ts"
export type { ContactId, DeliveryId, IdBlock, MessageId } from "./domain/value/Id.ts"
export { dayMillis, hourMillis, minuteMillis, secondMillis } from "./domain/value/Instant.ts"
export type { Instant, UtcDay } from "./domain/value/Instant.ts"

// Rules for an event sink: where it may connect. An event sink never retries: the core decides when an event delivery is due again.
export { hostOf, isIpLiteral, isLoopbackHost } from "./domain/value/NetworkAddress.ts"
export { isAscii } from "./domain/value/TextLength.ts"
export { isWebhookAddress, isWebhookPort, webhookRules, webhookUrlRules } from "./domain/webhook/WebhookUrl.ts"
export type { WebhookUrlRules } from "./domain/webhook/WebhookUrl.ts"

// The jitter of retries, for a test that predicts when the core retries.
export { jitterOf } from "./domain/value/Jitter.ts"
