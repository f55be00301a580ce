/**
 * The body of an event as a subscriber receives it: `{ type, timestamp, data }`. Source: interface, Events; decision 0016.
 */
import type { Json } from "./CanonicalJson.ts"
import type { Contact } from "./Contact.ts"
import { formatInstant, formatInstantOrNull } from "./Instant.ts"
import type { DeliveryEventData, DomainEventData, MailEvent } from "./MailEvent.ts"
import type { Message } from "./Message.ts"

export interface EventBody {
  readonly type: MailEvent["kind"] | "webhook.test"
  readonly timestamp: string
  readonly data: { readonly [field: string]: Json }
}

/** Returns a contact in the form of the responses to create and update. Source: interface, Contact. */
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

const cause = ({ kind, data }: { readonly kind: string; readonly data: DeliveryEventData }): EventBody["data"] =>
  kind === "email.bounced"
    ? {
        bounce: {
          type: data.bounceType,
          code: data.smtpCode,
          enhanced_code: data.enhancedCode,
          diagnostic: data.message
        }
      }
    : kind === "email.failed"
      ? { failure: { reason: data.reason, message: data.message } }
      : {}

const deliveryData = (
  event: MailEvent & { readonly data: DeliveryEventData },
  message: Message | null
): EventBody["data"] => {
  const { data } = event
  return {
    id: data.deliveryId,
    message_id: data.messageId,
    recipient: data.recipient,
    subject: message?.subject ?? "",
    status: data.status,
    previous_status: data.previousStatus,
    reason: data.reason,
    contact_id: data.contactId,
    template_id: message?.templateId ?? null,
    source: message?.source ?? "",
    metadata: message?.metadata ?? {},
    occurred_at: formatInstant(event.occurredAt),
    sequence: data.sequence,
    ...cause(event)
  }
}

const domainData = ({ domainId, domain, status, lastVerifiedAt }: DomainEventData): EventBody["data"] => ({
  id: domainId,
  domain,
  status,
  last_verified_at: formatInstantOrNull(lastVerifiedAt)
})

/** Makes the body of an event. `message` is the delivery's message. The same event always gives the same body. */
export const eventBody = (event: MailEvent, message: Message | null): EventBody => {
  const bodyWith = (data: EventBody["data"]): EventBody => ({
    type: event.kind,
    timestamp: formatInstant(event.occurredAt),
    data
  })
  if ("deliveryId" in event.data) return bodyWith(deliveryData(event as never, message))
  if ("contactId" in event.data) return bodyWith({ id: event.data.contactId })
  if ("domainId" in event.data) return bodyWith(domainData(event.data))
  return bodyWith({ ...contactFields(event.data.contact), reason: event.data.reason })
}

/** Returns the id of the message that the body of an event needs, or `undefined` if it needs none. */
export const messageOfEvent = ({ data }: MailEvent): string | undefined =>
  "deliveryId" in data ? data.messageId : undefined
