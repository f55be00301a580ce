/**
 * The records, inputs and events that a service or a handle takes or returns, so that a program can name each of them.
 */
export type { RecordedReport } from "../decide/delivery/recordReport.ts"
export type { SendRefusal, SendResult } from "../decide/message/acceptSend.ts"
export type { PlannedContent, PlannedRecipient, PlannedSend, PlannedUsage } from "../decide/message/plannedSend.ts"
export type { CanceledMessage, RescheduledMessage } from "../decide/message/scheduledMessage.ts"
export type { RenderedTemplate } from "../decide/template/renderTemplate.ts"
export type { ApiKey, CreateApiKeyInput, Permission, SendingSource } from "../domain/access/ApiKey.ts"
export type { OnAmbiguous, Project, ProjectId, UpdateProjectInput } from "../domain/access/Project.ts"
export type { DeletedKind, DeletedRecords, ProjectDeletionReport } from "../domain/access/ProjectDeletion.ts"
export type { Contact, ContactDetail, ContactSource } from "../domain/contact/Contact.ts"
export type { ImportOptions } from "../domain/contact/ContactFile.ts"
export type { ContactList, CreateContactListInput, UpdateContactListInput } from "../domain/contact/ContactList.ts"
export type { SegmentOp, SegmentValue } from "../domain/contact/ContactPredicate.ts"
export type {
  ContactFilterInput,
  CreateContactInput,
  ListContactsInput,
  PropertiesInput,
  UpdateContactInput
} from "../domain/contact/ContactRequest.ts"
export type { EmailStatus } from "../domain/contact/EmailStatusTable.ts"
export type { ErasedCounts, ErasedKind, ErasureReport } from "../domain/contact/Erasure.ts"
export type {
  CreatePropertyInput,
  Property,
  PropertyType,
  PropertyValue,
  UpdatePropertyInput
} from "../domain/contact/Property.ts"
export type {
  CreateSegmentInput,
  Segment,
  SegmentField,
  SegmentFilter,
  UpdateSegmentInput
} from "../domain/contact/Segment.ts"
export type { Suppression, SuppressionReason } from "../domain/contact/Suppression.ts"
export type { ListSuppressionsInput } from "../domain/contact/SuppressionRequest.ts"
export type {
  AttemptOutcome,
  AttemptPhase,
  BounceType,
  DeliverySummary,
  RecipientKind
} from "../domain/delivery/Delivery.ts"
export type { DeliveryAttempt, DeliveryDetail, DeliveryMessage } from "../domain/delivery/DeliveryDetail.ts"
export type { ListDeliveriesInput, ListEventsInput } from "../domain/delivery/DeliveryLogInput.ts"
export type { BounceCause, DeliveryReport, ReportKind } from "../domain/delivery/DeliveryReport.ts"
export type { DeliveryReason, DeliveryStatus } from "../domain/delivery/DeliveryStatus.ts"
export type {
  DeliveryEntry,
  DeliveryEntryKind,
  DeliveryEntryOf,
  DeliveryNow,
  DeliveryStory,
  ExplainedEventDelivery
} from "../domain/delivery/DeliveryStory.ts"
export type { ImportDkimKeyInput } from "../domain/domain-name/DkimKeyImport.ts"
export type {
  CreateDomainInput,
  DnsPurpose,
  DnsRecord,
  DnsRecordStatus,
  DomainStatus,
  ListDomainsInput,
  SenderDomain
} from "../domain/domain-name/SenderDomain.ts"
export type { EventDeliveryAttempt, EventDeliveryStatus } from "../domain/event/EventDelivery.ts"
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
} from "../domain/event/MailEvent.ts"
export type {
  ContactFields,
  WebhookBody,
  WebhookBodyOf,
  WebhookBodyType,
  WebhookBounceData,
  WebhookContactData,
  WebhookDeletedContactData,
  WebhookDeliveryData,
  WebhookDomainData,
  WebhookFailureData,
  WebhookTestData
} from "../domain/event/WebhookBody.ts"
export type {
  AttachmentInput,
  AttachmentSummary,
  ContentAttachmentInput,
  Disposition,
  PathAttachmentInput
} from "../domain/message/Attachment.ts"
export type { HeaderFields } from "../domain/message/HeaderField.ts"
export type { SendBatchOptions } from "../domain/message/SendBatch.ts"
export type { SendInput } from "../domain/message/SendInput.ts"
export type { SendOptions, ShownRecipientsInput } from "../domain/message/SendOptions.ts"
export type { Counter, CounterName, PlanLimitCode } from "../domain/plan/Plan.ts"
export type { LimitExcess } from "../domain/plan/Plan.ts"
export type { DayUsage, LimitUsage, PlanUsage, PlanUsageInput } from "../domain/plan/PlanUsage.ts"
export type { StoreUnavailableReason } from "../domain/store/Conflict.ts"
export type { CursorInput, CursorPage, Page, PageInput, PageRequest } from "../domain/store/Paging.ts"
export type { UsageAudit } from "../domain/store/QueryAnswer.ts"
export type { ResourceId, ResourceKind } from "../domain/store/StoredResource.ts"
export type {
  PublishedTemplate,
  Template,
  TemplateSummary,
  TemplateVersion,
  TemplateVersionItem,
  TemplateVersionSummary
} from "../domain/template/Template.ts"
export type {
  TemplateStatus,
  TemplateVariable,
  VariableType,
  VariableValue,
  VersionStatus
} from "../domain/template/TemplateContent.ts"
export type {
  CreateTemplateInput,
  EnsureTemplateInput,
  ListTemplateVersionsInput,
  ListTemplatesInput,
  PreviewTemplateInput,
  TemplateVariableInput,
  UpdateTemplateInput
} from "../domain/template/TemplateInput.ts"
export type { Json } from "../domain/value/CanonicalJson.ts"
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
} from "../domain/value/Id.ts"
export type { Instant, TimeInput, UtcDay } from "../domain/value/Instant.ts"
export type { ArgumentName, Issue, IssueCode } from "../domain/value/Issue.ts"
export type { Webhook, WebhookStatus, WebhookTestResult } from "../domain/webhook/Webhook.ts"
export type { WebhookDelivery } from "../domain/webhook/WebhookDelivery.ts"
export type { CreateWebhookInput, UpdateWebhookInput } from "../domain/webhook/WebhookInput.ts"
export type { FileRow, ImportedRow, RowIssue, RowOutcome } from "../service/contact/ContactFiles.ts"
