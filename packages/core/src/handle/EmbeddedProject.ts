/**
 * One project of the core in this process, with promises: more than the interface over HTTP can do. Source: decision 0047.
 */
import type { RecordedReport } from "../decide/delivery/recordReport.ts"
import type { PlannedSend } from "../decide/message/plannedSend.ts"
import type { ApiKey, CreateApiKeyInput } from "../domain/access/ApiKey.ts"
import type { Project, ProjectId, UpdateProjectInput } from "../domain/access/Project.ts"
import type { Contact, ContactDetail } from "../domain/contact/Contact.ts"
import type { ImportOptions } from "../domain/contact/ContactFile.ts"
import type { ContactList, CreateContactListInput } from "../domain/contact/ContactList.ts"
import type { ContactFilterInput } from "../domain/contact/ContactRequest.ts"
import type { CreatePropertyInput, Property } from "../domain/contact/Property.ts"
import type { CreateSegmentInput, Segment } from "../domain/contact/Segment.ts"
import type { Suppression, SuppressionReason } from "../domain/contact/Suppression.ts"
import type { ErasureReport } from "../domain/contact/Erasure.ts"
import type { DeliveryDetail } from "../domain/delivery/DeliveryDetail.ts"
import type { DeliveryReport } from "../domain/delivery/DeliveryReport.ts"
import type { ListEventsInput } from "../domain/delivery/DeliveryLogInput.ts"
import type { DeliveryStory } from "../domain/delivery/DeliveryStory.ts"
import type { ImportDkimKeyInput } from "../domain/domain-name/DkimKeyImport.ts"
import type { CreateDomainInput, SenderDomain } from "../domain/domain-name/SenderDomain.ts"
import type { MailEvent } from "../domain/event/MailEvent.ts"
import type { SendBatchOptions } from "../domain/message/SendBatch.ts"
import type { SendInput } from "../domain/message/SendInput.ts"
import type { SendOptions } from "../domain/message/SendOptions.ts"
import type { PlanUsage, PlanUsageInput } from "../domain/plan/PlanUsage.ts"
import type { UsageAudit } from "../domain/store/QueryAnswer.ts"
import type { PublishedTemplate } from "../domain/template/Template.ts"
import type { EnsureTemplateInput } from "../domain/template/TemplateInput.ts"
import type { Webhook } from "../domain/webhook/Webhook.ts"
import type { WebhookDelivery } from "../domain/webhook/WebhookDelivery.ts"
import type { FileRow, ImportedRow } from "../service/contact/ContactFiles.ts"
import type { CallOptions } from "./CallOptions.ts"
import type {
  ContactsHandle,
  ListsHandle,
  PropertiesHandle,
  SegmentsHandle,
  SuppressionsHandle
} from "./ContactsHandle.ts"
import type { DeliveriesHandle } from "./DeliveriesHandle.ts"
import type { DomainsHandle } from "./DomainsHandle.ts"
import type { ProjectHandle } from "./ProjectHandle.ts"
import type { MessageInput, SendingHandle } from "./SendingHandle.ts"
import type { TemplatesHandle } from "./TemplatesHandle.ts"
import type { WebhooksHandle } from "./WebhooksHandle.ts"

/** A message and its recipients, with files of the file system. */
export interface EmbeddedMessageInput extends Omit<SendInput, "from">, Pick<MessageInput, "from"> {}

/** A message to send, with the options of the send in the same object. */
export interface EmbeddedSendInput extends EmbeddedMessageInput, SendOptions {}

/** Several messages to send at once, with the options that apply to each message. */
export interface EmbeddedSendBatchInput extends SendBatchOptions {
  /** 1 to 100 messages. Their texts and files have at most 30 MiB together. */
  readonly messages: ReadonlyArray<EmbeddedMessageInput>
}

/** The delivery log of an embedded project. */
export interface EmbeddedDeliveries extends DeliveriesHandle<DeliveryDetail> {
  /**
   * Explains one delivery: everything that the store knows about it, oldest first, with a sentence for each entry, and what it waits for now.
   * Contains no content of the message. Rejects with `DeliveryNotFound`.
   */
  readonly explain: (deliveryId: string, options?: CallOptions) => Promise<DeliveryStory>
}

/** The contacts of an embedded project. */
export interface EmbeddedContacts extends ContactsHandle<Contact, ContactDetail> {
  /** Resolves with `null` when no contact has the address, or when the text is not an address. */
  readonly findByEmail: (email: string, options?: CallOptions) => Promise<Contact | null>
  /**
   * Erases a person from all records of the project (GDPR article 17). The address stays suppressed by its keyed hash. Reads every record of the
   * store, one page at a time. After a failure or an abort, call again: the erasure continues. Rejects with `InvalidArgument` when the text is not
   * an address.
   */
  readonly erase: (email: string, options?: CallOptions) => Promise<ErasureReport>
  /**
   * Imports contacts while you iterate over the outcomes: without a loop, nothing is imported. A loop that ends early ends the import after the rows
   * under way. Up to 64 rows are in one commit. The first row has the names of the columns: `email`, `user_id`, `first_name`, `last_name`,
   * `phone_number`, `email_status`, and custom properties by property key. Rows with one address are written in their order. Emits the outcome of each
   * further row, in no particular order. Writes nothing and throws `InvalidArgument` when the first row is not valid.
   */
  readonly importRows: (
    rows: AsyncIterable<FileRow> | Iterable<FileRow>,
    input?: ImportOptions,
    options?: CallOptions
  ) => AsyncIterable<ImportedRow>
  /** Exports contacts: a row with the names of the columns, then a row for each contact, newest first. */
  readonly exportRows: (filter?: ContactFilterInput, options?: CallOptions) => AsyncIterable<ReadonlyArray<string>>
}

/** The lists of an embedded project. */
export interface EmbeddedLists extends ListsHandle {
  /**
   * Resolves with the list with this name, and creates it when it does not exist. A program may call this at every start. Another description in the
   * input replaces that of the list. Rejects with `TooManyRecords` when the project has 1,000 lists.
   */
  readonly ensure: (input: CreateContactListInput, options?: CallOptions) => Promise<ContactList>
}

/** The custom properties of an embedded project. */
export interface EmbeddedProperties extends PropertiesHandle {
  /**
   * Makes the property with this key what the input says, and creates it when it does not exist. A program may call this at every start. A fallback
   * that the input omits is kept. Rejects with `PropertyInUse` for another type while a contact has a value of the property.
   */
  readonly ensure: (input: CreatePropertyInput, options?: CallOptions) => Promise<Property>
}

/** The segments of an embedded project. */
export interface EmbeddedSegments extends SegmentsHandle {
  /**
   * Gives the segment with this name the filter of the input, and creates it when it does not exist. A program may call this at every start. Rejects
   * with `InvalidArgument`, which has an issue for each part of the filter that is not valid.
   */
  readonly ensure: (input: CreateSegmentInput, options?: CallOptions) => Promise<Segment>
}

/** The suppressions of an embedded project. */
export interface EmbeddedSuppressions extends SuppressionsHandle<SuppressionReason> {
  /**
   * Removes one reason and keeps the others. Resolves with the suppression with the other reasons, or with `null` when there are none. The removal of
   * `unsubscribed` also subscribes the contact with the address.
   */
  readonly removeReason: (
    email: string,
    reason: SuppressionReason,
    options?: CallOptions
  ) => Promise<Suppression | null>
}

/** The templates of an embedded project. */
export interface EmbeddedTemplates extends TemplatesHandle {
  /**
   * Makes the template with this alias what the input says, and publishes it. A program may call this at every start. Rejects with
   * `InvalidArgument` when the content cannot be published.
   */
  readonly ensure: (input: EnsureTemplateInput, options?: CallOptions) => Promise<PublishedTemplate>
}

/** The sender domains of an embedded project. */
export interface EmbeddedDomains extends DomainsHandle<SenderDomain, CreateDomainInput> {
  /**
   * Resolves with the domain with this name, and creates it when it does not exist. A program may call this at every start. `verified: true` marks
   * an existing domain as verified manually.
   */
  readonly ensure: (input: CreateDomainInput, options?: CallOptions) => Promise<SenderDomain>
  /**
   * Gives the domain a new DKIM key. The result has the DNS record to publish beside the current one. The current key signs until a check finds
   * the new record, so no mail is unsigned meanwhile. A repeat changes nothing until then. Rejects with `RecordNotFound`.
   */
  readonly rotateDkimKey: (domainId: string, options?: CallOptions) => Promise<SenderDomain>
  /**
   * Gives the domain a DKIM key that exists already, such as that of the program that sent its mail before. It signs from the first check that finds its
   * record, so call `verify` afterwards. Until then a key that signs mail continues to sign. A repeat changes nothing. Rejects with `RecordNotFound`, and
   * with `InvalidArgument` when the key is not valid, or when another key with this selector signs the mail.
   */
  readonly importDkimKey: (domainId: string, input: ImportDkimKeyInput, options?: CallOptions) => Promise<SenderDomain>
}

/** A new API key with its secret. */
export interface ApiKeySecret {
  readonly apiKey: ApiKey
  /** The complete API key, which a client sends as its bearer token. Mailkeep does not store it, so it is shown only once. Keep it out of logs. */
  readonly secret: string
}

/** The API keys of an embedded project. A program that embeds Mailkeep needs none for itself. */
export interface ApiKeysHandle {
  /** Creates an API key, and the project when it does not exist. Rejects with `InvalidArgument` when the input is not valid. */
  readonly create: (input: CreateApiKeyInput, options?: CallOptions) => Promise<ApiKeySecret>
  /** The API keys of the project, oldest first, including revoked API keys. */
  readonly list: (options?: CallOptions) => Promise<ReadonlyArray<ApiKey>>
  /** Revokes an API key of the project. It applies at once. A repeat does not change `revokedAt`. Rejects with `ApiKeyNotFound`. */
  readonly revoke: (apiKeyId: string, options?: CallOptions) => Promise<ApiKey>
}

/** The event log of an embedded project. */
export interface EventsHandle {
  /** The events of the project, oldest first. Events are kept for `retention.eventsMillis`, 30 days by default. */
  readonly list: (input?: ListEventsInput, options?: CallOptions) => Promise<ReadonlyArray<MailEvent>>
}

/** Reports of what happened to mail after the hand-off. */
export interface FeedbackHandle {
  /**
   * Records a report from a source that the product trusts, such as the signed webhook of a provider. Rejects with `DeliveryNotFound`, and with
   * `InvalidArgument` when the report is not valid.
   */
  readonly report: (deliveryId: string, report: DeliveryReport, options?: CallOptions) => Promise<RecordedReport>
}

/** One project of the core in this process. */
export interface EmbeddedProject
  extends Omit<ProjectHandle, keyof SendingHandle>, SendingHandle<EmbeddedSendInput, EmbeddedSendBatchInput> {
  /** The id of the project. */
  readonly projectId: ProjectId
  /**
   * Says what `send` would do now with the same input, by the same rules. Writes nothing. A refusal is a part of the result. Rejects with
   * `InvalidArgument` only when the input has a wrong form, so that no recipient is known.
   */
  readonly plan: (input: EmbeddedSendInput, options?: CallOptions) => Promise<PlannedSend>
  readonly deliveries: EmbeddedDeliveries
  readonly contacts: EmbeddedContacts
  readonly lists: EmbeddedLists
  readonly properties: EmbeddedProperties
  readonly segments: EmbeddedSegments
  readonly suppressions: EmbeddedSuppressions
  readonly templates: EmbeddedTemplates
  readonly domains: EmbeddedDomains
  readonly webhooks: WebhooksHandle<Webhook, WebhookDelivery>
  /** The API keys, for clients over HTTP. */
  readonly apiKeys: ApiKeysHandle
  /** The event log. */
  readonly events: EventsHandle
  /** Bounces, complaints and deliveries that another system reports. */
  readonly feedback: FeedbackHandle
  /**
   * How much of its plan the project has used, and the recipients of each day, for a page or a bill. The default is today. Reads only counters, so that it is
   * fast however many records there are. Rejects with `InvalidArgument` when a day is not valid, and as a send does when the plan of the project
   * cannot be read.
   */
  readonly usage: (input?: PlanUsageInput, options?: CallOptions) => Promise<PlanUsage>
  /** The counters of the project, and the same numbers counted from its records. Reads every delivery and every contact of the project. */
  readonly usageAudit: (options?: CallOptions) => Promise<UsageAudit>
  /** Changes settings of the project, and creates it when it does not exist. */
  readonly updateSettings: (input: UpdateProjectInput, options?: CallOptions) => Promise<Project>
}
