/**
 * The body of a webhook: `{ type, timestamp, data }` with names in snake_case. The core makes this body itself, because the event sender signs and
 * sends its bytes. Source: docs/spec/coverage.md S10; decision 0016.
 */
import type { SendingSource } from "../access/ApiKey.ts"
import type { Contact, ContactSource } from "../contact/Contact.ts"
import type { EmailStatus } from "../contact/EmailStatusTable.ts"
import type { BounceType } from "../delivery/Delivery.ts"
import type { DeliveryEventKind, DeliveryReason, DeliveryStatus } from "../delivery/DeliveryStatus.ts"
import type { DomainStatus } from "../domain-name/SenderDomain.ts"
import type { Json } from "../value/CanonicalJson.ts"
import { formatInstant, formatInstantOrNull } from "../value/Instant.ts"
import type { DeliveryEventData, MailEvent } from "./MailEvent.ts"

/** The data of an event of a delivery. Times are texts such as `2026-11-28T09:30:00.000Z`. */
export interface WebhookDeliveryData {
  /** The id of the delivery. */
  readonly id: string
  readonly message_id: string
  /** The address as the send has it. */
  readonly recipient: string
  readonly subject: string
  /** The status after the change. */
  readonly status: DeliveryStatus
  /** The status before the change; `null` if the delivery was suppressed when the message was accepted. */
  readonly previous_status: DeliveryStatus | null
  readonly reason: DeliveryReason | null
  /** The contact that had the address when the message was accepted; `null` if there was none. */
  readonly contact_id: string | null
  /** The template from which the message was rendered; `null` without a template. */
  readonly template_id: string | null
  /** The interface through which the message was sent; empty if the message is no longer stored. */
  readonly source: SendingSource | ""
  /** The metadata of the send. */
  readonly metadata: { readonly [key: string]: Json }
  readonly occurred_at: string
  /** The number of the event within its delivery, from 1. Events can arrive in another order. */
  readonly sequence: number
}

/** The data of `email.bounced`. */
export interface WebhookBounceData extends WebhookDeliveryData {
  readonly bounce: {
    readonly type: BounceType | null
    /** The code of the relay's reply, such as 550; `null` if the relay sent none. */
    readonly code: number | null
    /** The enhanced code of the reply, such as `5.1.1`; `null` if the relay sent none. */
    readonly enhanced_code: string | null
    /** The text of the reply. */
    readonly diagnostic: string | null
  }
}

/** The data of `email.failed`. */
export interface WebhookFailureData extends WebhookDeliveryData {
  readonly failure: { readonly reason: DeliveryReason | null; readonly message: string | null }
}

/** A contact in the form of the responses to create and update. Source: docs/spec/coverage.md S2.8. */
export interface ContactFields {
  readonly id: string
  readonly email: string
  readonly user_id: string | null
  readonly first_name: string
  readonly last_name: string
  readonly phone_number: string | null
  readonly email_status: EmailStatus
  readonly source: ContactSource
  readonly created_at: string
  readonly updated_at: string
}

/** The data of an event of a contact that exists: the contact as it was at the time of the event. */
export interface WebhookContactData extends ContactFields {
  /** `unsubscribed` for `contact.unsubscribed`, otherwise `null`. */
  readonly reason: "unsubscribed" | null
}

/** The data of `contact.deleted`. */
export interface WebhookDeletedContactData {
  /** The id of the contact. */
  readonly id: string
}

/** The data of an event of a sender domain. */
export interface WebhookDomainData {
  /** The id of the domain. */
  readonly id: string
  readonly domain: string
  readonly status: DomainStatus
  /** When the DNS records were last found correct; `null` for never. */
  readonly last_verified_at: string | null
}

/** The data of `webhook.test`. */
export interface WebhookTestData {
  readonly webhook_id: string
  readonly project_id: string
}

interface WebhookDataByType extends Record<DeliveryEventKind, WebhookDeliveryData> {
  "email.bounced": WebhookBounceData
  "email.failed": WebhookFailureData
  "contact.created": WebhookContactData
  "contact.updated": WebhookContactData
  "contact.subscribed": WebhookContactData
  "contact.unsubscribed": WebhookContactData
  "contact.deleted": WebhookDeletedContactData
  "domain.verified": WebhookDomainData
  "domain.failed": WebhookDomainData
  "webhook.test": WebhookTestData
}

/** What the body of a webhook is about: a kind of event, or a test by the operator. */
export type WebhookBodyType = keyof WebhookDataByType

/** The body of a webhook of these types. */
export type WebhookBodyOf<T extends WebhookBodyType> = {
  readonly [Type in T]: {
    readonly type: Type
    /** When the event occurred, such as `2026-11-28T09:30:00.000Z`. */
    readonly timestamp: string
    readonly data: WebhookDataByType[Type]
  }
}[T]

/**
 * The body of a webhook, as a receiver parses it after the signature is verified. A check of `type` narrows the type of `data`. Later versions can add
 * types and fields.
 */
export type WebhookBody = WebhookBodyOf<WebhookBodyType>

/** Returns a contact in the form of the responses to create and update. */
export const contactFields = (contact: Contact): ContactFields => ({
  id: contact.id,
  email: contact.email,
  user_id: contact.userId,
  first_name: contact.firstName,
  last_name: contact.lastName,
  phone_number: contact.phoneNumber,
  email_status: contact.emailStatus,
  source: contact.source,
  created_at: formatInstant(contact.createdAt),
  updated_at: formatInstant(contact.updatedAt)
})

const deliveryFields = (data: DeliveryEventData, occurredAt: number): WebhookDeliveryData => ({
  id: data.deliveryId,
  message_id: data.messageId,
  recipient: data.recipient,
  subject: data.subject,
  status: data.status,
  previous_status: data.previousStatus,
  reason: data.reason,
  contact_id: data.contactId,
  template_id: data.templateId,
  source: data.source ?? "",
  metadata: data.metadata,
  occurred_at: formatInstant(occurredAt),
  sequence: data.sequence
})

/** Makes the body of an event. The same event always gives the same body. */
export const webhookBody = (event: MailEvent): WebhookBody => {
  const timestamp = formatInstant(event.occurredAt)
  switch (event.kind) {
    case "email.bounced": {
      const { type, smtpCode, enhancedCode, message } = event.data.bounce
      const bounce = { type, code: smtpCode, enhanced_code: enhancedCode, diagnostic: message }
      return { type: event.kind, timestamp, data: { ...deliveryFields(event.data, event.occurredAt), bounce } }
    }
    case "email.failed": {
      const { reason, message } = event.data.failure
      const failure = { reason, message }
      return { type: event.kind, timestamp, data: { ...deliveryFields(event.data, event.occurredAt), failure } }
    }
    case "contact.created":
    case "contact.updated":
    case "contact.subscribed":
    case "contact.unsubscribed":
      return { type: event.kind, timestamp, data: { ...contactFields(event.data.contact), reason: event.data.reason } }
    case "contact.deleted":
      return { type: event.kind, timestamp, data: { id: event.data.contactId } }
    case "domain.verified":
    case "domain.failed": {
      const { domainId, domain, status, lastVerifiedAt } = event.data
      const data = { id: domainId, domain, status, last_verified_at: formatInstantOrNull(lastVerifiedAt) }
      return { type: event.kind, timestamp, data }
    }
    default:
      return { type: event.kind, timestamp, data: deliveryFields(event.data, event.occurredAt) }
  }
}
