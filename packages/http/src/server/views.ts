/**
 * Converts records to the wire format.
 */
import type {
  Attempt,
  Contact,
  ContactDetail,
  CountedList,
  ResourceOf,
  DeliveryDetail,
  DeliverySummary,
  Instant,
  SenderDomain,
  SendResult,
  Suppression,
  EventDelivery,
  EventDeliveryResult,
  WebhookRecord,
  WebhookWithSecret
} from "@mailkeep/core"
import {
  contactFields,
  fallbackText,
  formatInstant,
  formatInstantOrNull,
  suppressedFor,
  suppressionReasons
} from "@mailkeep/core"
import type { ListBody, PropertyBody, SegmentBody } from "../api/ContactGroups.ts"
import type { ContactBody, ContactDetailBody, ContactSummaryBody } from "../api/Contacts.ts"
import type { DomainBody } from "../api/Domains.ts"
import type { AttemptBody, DeliveryBody, DeliverySummaryBody } from "../api/Logs.ts"
import type { SendResultBody } from "../api/Messages.ts"
import type { SuppressionBody } from "../api/Suppressions.ts"
import type { WebhookBody, WebhookDeliveryBody, WebhookWithSecretBody } from "../api/Webhooks.ts"
import { Redacted } from "effect"

export const sendResultView = (result: SendResult): (typeof SendResultBody.Type)["data"] => ({
  totalQueued: result.totalQueued,
  messageId: result.messageId,
  deliveryIds: result.deliveryIds,
  scheduledAt: formatInstantOrNull(result.scheduledAt)
})

export const deliverySummaryView = (delivery: DeliverySummary): typeof DeliverySummaryBody.Type => ({
  id: delivery.id,
  created_at: formatInstant(delivery.createdAt),
  recipient: delivery.recipient,
  subject: delivery.subject,
  status: delivery.status,
  scheduled_at: formatInstantOrNull(delivery.scheduledAt)
})

const attemptView = (attempt: Attempt): typeof AttemptBody.Type => ({
  at: formatInstant(attempt.startedAt),
  outcome: attempt.outcome,
  smtp_code: attempt.smtpCode,
  enhanced_code: attempt.enhancedCode,
  message: attempt.message,
  duration_ms: attempt.durationMillis
})

const fullName = ({ firstName, lastName }: Contact): string | null => `${firstName} ${lastName}`.trim() || null

export const deliveryView = ({
  delivery,
  message,
  attempts,
  contact,
  domain,
  template
}: DeliveryDetail): typeof DeliveryBody.Type => ({
  ...deliverySummaryView({ ...delivery, subject: message.subject }),
  message_id: delivery.messageId,
  recipient_name: contact === null ? null : fullName(contact),
  from_address: message.from,
  from_name: message.fromName,
  sending_domain: message.domain,
  source: delivery.source,
  delivery_reason: delivery.reason,
  status_message: delivery.statusMessage,
  canceled_at: formatInstantOrNull(delivery.canceledAt),
  html_content: message.html,
  text_content: message.text,
  accepted_at: formatInstantOrNull(delivery.acceptedAt),
  delivered_at: formatInstantOrNull(delivery.deliveredAt),
  bounced_at: formatInstantOrNull(delivery.bouncedAt),
  complained_at: formatInstantOrNull(delivery.complainedAt),
  failed_at: formatInstantOrNull(delivery.failedAt),
  bounce_type: delivery.bounceType,
  first_opened_at: null,
  first_clicked_at: null,
  open_count: 0,
  click_count: 0,
  domain: domain === null ? null : { id: domain.id, domain: domain.domain },
  contact:
    contact === null
      ? null
      : { id: contact.id, email: contact.email, first_name: contact.firstName, last_name: contact.lastName },
  template: template === null ? null : { id: template.id, name: template.content.name },
  metadata: message.metadata,
  attempts: attempts.map(attemptView)
})

export const contactSummaryView = (contact: Contact): typeof ContactSummaryBody.Type => ({
  id: contact.id,
  email: contact.email,
  first_name: contact.firstName,
  last_name: contact.lastName,
  phone_number: contact.phoneNumber,
  email_status: contact.emailStatus,
  created_at: formatInstant(contact.createdAt)
})

export const contactView: (contact: Contact) => typeof ContactBody.Type = contactFields

export const contactDetailView = ({
  contact,
  properties,
  blockReason
}: ContactDetail): typeof ContactDetailBody.Type => ({
  ...contactView(contact),
  properties,
  unsubscribed: contact.emailStatus === "unsubscribed",
  email_delivery_block_reason: blockReason
})

export const stamps = ({ createdAt, updatedAt }: { readonly createdAt: number; readonly updatedAt: number }) => ({
  created_at: formatInstant(createdAt),
  updated_at: formatInstant(updatedAt)
})

export const propertyView = ({ id, content, ...at }: ResourceOf<"property">): typeof PropertyBody.Type => ({
  id,
  key: content.key,
  type: content.type,
  fallback_value: fallbackText(content),
  ...stamps(at)
})

export const listView = ({ list: { id, content, ...at }, contacts }: CountedList): typeof ListBody.Type => ({
  id,
  name: content.name,
  description: content.description,
  contact_count: contacts,
  ...stamps(at)
})

export const segmentView = ({ id, content, ...at }: ResourceOf<"segment">): typeof SegmentBody.Type => ({
  id,
  name: content.name,
  filter: content.filter as typeof SegmentBody.Type.filter,
  ...stamps(at)
})

/** Of a suppression that holds. */
export const suppressionView = (suppression: Suppression, now: Instant): typeof SuppressionBody.Type => ({
  email: suppression.address,
  reason: suppressedFor(suppression, now)!,
  reasons: suppressionReasons.flatMap((reason) => {
    const since = suppression.reasons[reason]
    return since === undefined ? [] : [{ reason, since: formatInstant(since) }]
  })
})

const dnsRecordView = (record: SenderDomain["records"][number]): (typeof DomainBody.Type)["dns_records"][number] => ({
  id: record.id,
  purpose: record.purpose,
  record_type: record.type,
  name: record.name,
  value: record.value,
  priority: record.priority,
  status: record.status,
  required_for_sending: record.requiredForSending,
  last_checked_at: formatInstantOrNull(record.lastCheckedAt),
  error_code: record.errorCode,
  error_message: record.errorMessage
})

export const domainView = (domain: SenderDomain): typeof DomainBody.Type => ({
  id: domain.id,
  domain: domain.domain,
  status: domain.status,
  region: "global",
  open_tracking: false,
  verification_error: domain.verificationError,
  verification_attempts: domain.verificationAttempts,
  verification_attempted_at: formatInstantOrNull(domain.verificationAttemptedAt),
  last_verified_at: formatInstantOrNull(domain.lastVerifiedAt),
  ...stamps(domain),
  dns_records: domain.records.map(dnsRecordView)
})

export const webhookView = ({ id, content, ...at }: WebhookRecord): typeof WebhookBody.Type => ({
  id,
  url: content.url,
  events: content.events,
  description: content.description,
  status: content.status,
  ...stamps(at)
})

export const webhookWithSecretView = ({ webhook, secret }: WebhookWithSecret): typeof WebhookWithSecretBody.Type => ({
  ...webhookView(webhook),
  secret: Redacted.value(secret)
})

export const webhookDeliveryView = (eventDelivery: EventDelivery): typeof WebhookDeliveryBody.Type => ({
  id: eventDelivery.id,
  event_id: eventDelivery.eventId,
  event_type: eventDelivery.eventKind,
  status: eventDelivery.status,
  attempts: eventDelivery.latestAttempts.map(({ at, status, error, durationMillis }) => ({
    at: formatInstant(at),
    status_code: status,
    error,
    duration_ms: durationMillis
  })),
  next_attempt_at: formatInstantOrNull(eventDelivery.dueAt),
  settled_at: formatInstantOrNull(eventDelivery.settledAt),
  created_at: formatInstant(eventDelivery.createdAt)
})

export const webhookTestView = (result: EventDeliveryResult) => ({
  delivered: result._tag === "Accepted",
  status_code: "status" in result ? result.status : null,
  error: "error" in result ? result.error : null
})
