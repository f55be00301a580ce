/**
 * The body of an event on the wire: `{ type, timestamp, data }` with names in snake_case. The core makes this body itself, because the
 * event sender signs and sends the bytes of a webhook. Source: docs/spec/coverage.md S10; decision 0016.
 */
import type { Contact } from "../contact/Contact.ts"
import type { Json } from "../value/CanonicalJson.ts"
import { formatInstant, formatInstantOrNull } from "../value/Instant.ts"
import type { DeliveryEventData, DomainEventData, MailEvent } from "./MailEvent.ts"

export interface EventBody {
  readonly type: MailEvent["kind"] | "webhook.test"
  readonly timestamp: string
  readonly data: { readonly [field: string]: Json }
}

/** Returns a contact in the form of the responses to create and update. Source: docs/spec/coverage.md S2.8. */
export const contactFields = (contact: Contact) => ({
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

const deliveryFields = (data: DeliveryEventData, occurredAt: number): EventBody["data"] => ({
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

const domainFields = ({ domainId, domain, status, lastVerifiedAt }: DomainEventData): EventBody["data"] => ({
  id: domainId,
  domain,
  status,
  last_verified_at: formatInstantOrNull(lastVerifiedAt)
})

const dataOf = (event: MailEvent): EventBody["data"] => {
  switch (event.kind) {
    case "email.bounced": {
      const { type, smtpCode, enhancedCode, message } = event.data.bounce
      const bounce = { type, code: smtpCode, enhanced_code: enhancedCode, diagnostic: message }
      return { ...deliveryFields(event.data, event.occurredAt), bounce }
    }
    case "email.failed": {
      const { reason, message } = event.data.failure
      return { ...deliveryFields(event.data, event.occurredAt), failure: { reason, message } }
    }
    case "contact.created":
    case "contact.updated":
    case "contact.subscribed":
    case "contact.unsubscribed":
      return { ...contactFields(event.data.contact), reason: event.data.reason }
    case "contact.deleted":
      return { id: event.data.contactId }
    case "domain.verified":
    case "domain.failed":
      return domainFields(event.data)
    default:
      return deliveryFields(event.data, event.occurredAt)
  }
}

/** Makes the body of an event. The same event always gives the same body. */
export const eventBody = (event: MailEvent): EventBody => ({
  type: event.kind,
  timestamp: formatInstant(event.occurredAt),
  data: dataOf(event)
})
