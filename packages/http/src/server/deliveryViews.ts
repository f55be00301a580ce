/**
 * Converts the results of sends and the deliveries of the log to the wire format.
 */
import type { DeliveryAttempt, DeliveryDetail, DeliverySummary, SendResult } from "@mailkeep/core"
import { formatInstantOrNull } from "@mailkeep/core/binding"
import { formatInstant } from "@mailkeep/core"
import type { AttemptBody, DeliveryBody, DeliverySummaryBody } from "../api/Logs.ts"
import type { SendResultBody } from "../api/Messages.ts"

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

const attemptView = (attempt: DeliveryAttempt): typeof AttemptBody.Type => ({
  at: formatInstant(attempt.startedAt),
  outcome: attempt.outcome,
  smtp_code: attempt.smtpCode,
  enhanced_code: attempt.enhancedCode,
  message: attempt.statusMessage,
  duration_ms: attempt.durationMillis
})

const fullName = (contact: DeliveryDetail["contact"]): string | null =>
  contact === null ? null : `${contact.firstName} ${contact.lastName}`.trim() || null

const contactReference = (contact: DeliveryDetail["contact"]): (typeof DeliveryBody.Type)["contact"] =>
  contact === null
    ? null
    : { id: contact.id, email: contact.email, first_name: contact.firstName, last_name: contact.lastName }

export const deliveryView = (delivery: DeliveryDetail): typeof DeliveryBody.Type => ({
  ...deliverySummaryView(delivery),
  message_id: delivery.message.id,
  recipient_name: fullName(delivery.contact),
  from_address: delivery.message.from,
  from_name: delivery.message.fromName,
  sending_domain: delivery.senderDomain,
  source: delivery.source,
  delivery_reason: delivery.reason,
  status_message: delivery.statusMessage,
  canceled_at: formatInstantOrNull(delivery.canceledAt),
  html_content: delivery.message.html,
  text_content: delivery.message.text,
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
  domain: delivery.domain,
  contact: contactReference(delivery.contact),
  template: delivery.template,
  metadata: delivery.message.metadata,
  attachments: delivery.message.attachments.map(({ filename, contentType, contentId, disposition, size }) => ({
    filename,
    content_type: contentType,
    content_id: contentId,
    disposition,
    size
  })),
  attempts: delivery.attempts.map(attemptView)
})
