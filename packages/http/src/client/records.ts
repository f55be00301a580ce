/**
 * Converts the records of the wire to those of the core. The types are those of the API's schemas, so that a change of a schema does not compile here.
 * A test converts each record back with the views of the server.
 */
import type {
  CanceledMessage,
  Contact,
  ContactList,
  CursorPage,
  DeliveryAttempt,
  DeliverySummary,
  DnsRecord,
  Page,
  Property,
  RescheduledMessage,
  Segment,
  SendResult,
  Suppression
} from "@mailkeep/core"
import type {
  KnownContact,
  ListedContact,
  ListedDomain,
  ListedWebhook,
  ListedWebhookDelivery,
  LoggedDelivery,
  WebhookSecret
} from "@mailkeep/core/handle"
import type { ListBody, PropertyBody, SegmentBody } from "../api/ContactGroups.ts"
import type { ContactBody, ContactDetailBody, ContactSummaryBody } from "../api/Contacts.ts"
import type { DomainBody } from "../api/Domains.ts"
import type { AttemptBody, DeliveryBody, DeliverySummaryBody } from "../api/Logs.ts"
import type { CanceledMessageBody, RescheduledMessageBody, SendResultBody } from "../api/Messages.ts"
import type { SuppressionBody } from "../api/Suppressions.ts"
import type { WebhookBody, WebhookDeliveryBody, WebhookWithSecretBody } from "../api/Webhooks.ts"

/** Marks the text of an id with its type. The server makes the ids. */
const idOf = <Id extends string>(text: string): Id => text as Id

/** The instant of a time on the wire, in UTC milliseconds. Throws when the text is not a time. */
const toInstant = (text: string): number => {
  const instant = Date.parse(text)
  if (Number.isNaN(instant)) throw new TypeError("A time of the response has another form.")
  return instant
}

export const toInstantOrNull = (text: string | null): number | null => (text === null ? null : toInstant(text))

/** `createdAt` and `updatedAt` of a record. */
export const toStamps = (wire: { readonly created_at: string; readonly updated_at: string }) => ({
  createdAt: toInstant(wire.created_at),
  updatedAt: toInstant(wire.updated_at)
})

/** Converts the record under `data`. */
export const ofData =
  <W, A>(convert: (wire: W) => A) =>
  ({ data }: { readonly data: W }): A =>
    convert(data)

/** Converts the records under `data`. */
export const ofItems =
  <W, A>(convert: (wire: W) => A) =>
  ({ data }: { readonly data: ReadonlyArray<W> }): ReadonlyArray<A> =>
    data.map(convert)

/** Converts the response of a method that resolves with nothing. */
export const noResult = (): void => {}

/** Converts a page by number. */
export const toPage =
  <W, A>(convert: (wire: W) => A) =>
  ({ data: { items, total, page, limit } }: { readonly data: Page<W> }): Page<A> => ({
    items: items.map(convert),
    total,
    page,
    limit
  })

/** Converts a page by cursor. */
export const toCursorPage =
  <W, A>(convert: (wire: W) => A) =>
  ({ data: { items, limit, hasMore, nextCursor } }: { readonly data: CursorPage<W> }): CursorPage<A> => ({
    items: items.map(convert),
    limit,
    hasMore,
    nextCursor
  })

export const toSendResult = (wire: (typeof SendResultBody.Type)["data"], replayed: boolean): SendResult => ({
  messageId: idOf(wire.messageId),
  deliveryIds: wire.deliveryIds.map((id) => idOf(id)),
  totalQueued: wire.totalQueued,
  scheduledAt: toInstantOrNull(wire.scheduledAt),
  replayed
})

export const toCanceledMessage = (wire: (typeof CanceledMessageBody.Type)["data"]): CanceledMessage => ({
  messageId: idOf(wire.messageId),
  canceledAt: toInstant(wire.canceledAt),
  deliveryIds: wire.deliveryIds.map((id) => idOf(id))
})

export const toRescheduledMessage = (wire: (typeof RescheduledMessageBody.Type)["data"]): RescheduledMessage => ({
  messageId: idOf(wire.messageId),
  scheduledAt: toInstant(wire.scheduledAt),
  deliveryIds: wire.deliveryIds.map((id) => idOf(id))
})

export const toDeliverySummary = (wire: typeof DeliverySummaryBody.Type): DeliverySummary => ({
  id: idOf(wire.id),
  createdAt: toInstant(wire.created_at),
  recipient: wire.recipient,
  subject: wire.subject,
  status: wire.status,
  scheduledAt: toInstantOrNull(wire.scheduled_at)
})

const toAttempt = (wire: typeof AttemptBody.Type, index: number): DeliveryAttempt => ({
  number: index + 1,
  startedAt: toInstant(wire.at),
  outcome: wire.outcome,
  smtpCode: wire.smtp_code,
  enhancedCode: wire.enhanced_code,
  statusMessage: wire.message,
  durationMillis: wire.duration_ms
})

const toLoggedMessage = (wire: typeof DeliveryBody.Type): LoggedDelivery["message"] => ({
  id: idOf(wire.message_id),
  from: wire.from_address,
  fromName: wire.from_name,
  subject: wire.subject,
  html: wire.html_content,
  text: wire.text_content,
  attachments: wire.attachments.map(({ filename, content_type, content_id, disposition, size }) => ({
    filename,
    contentType: content_type,
    contentId: content_id,
    disposition,
    size
  })),
  metadata: wire.metadata
})

export const toDelivery = (wire: typeof DeliveryBody.Type): LoggedDelivery => ({
  ...toDeliverySummary(wire),
  source: wire.source as LoggedDelivery["source"],
  reason: wire.delivery_reason,
  statusMessage: wire.status_message,
  bounceType: wire.bounce_type,
  canceledAt: toInstantOrNull(wire.canceled_at),
  acceptedAt: toInstantOrNull(wire.accepted_at),
  deliveredAt: toInstantOrNull(wire.delivered_at),
  bouncedAt: toInstantOrNull(wire.bounced_at),
  complainedAt: toInstantOrNull(wire.complained_at),
  failedAt: toInstantOrNull(wire.failed_at),
  message: toLoggedMessage(wire),
  attempts: wire.attempts.map(toAttempt),
  senderDomain: wire.sending_domain,
  domain: wire.domain === null ? null : { id: idOf(wire.domain.id), domain: wire.domain.domain },
  contact:
    wire.contact === null
      ? null
      : {
          id: idOf(wire.contact.id),
          email: wire.contact.email,
          firstName: wire.contact.first_name,
          lastName: wire.contact.last_name
        },
  template: wire.template
})

export const toListedContact = (wire: typeof ContactSummaryBody.Type): ListedContact => ({
  id: idOf(wire.id),
  email: wire.email,
  firstName: wire.first_name,
  lastName: wire.last_name,
  phoneNumber: wire.phone_number,
  emailStatus: wire.email_status,
  createdAt: toInstant(wire.created_at)
})

export const toContact = (wire: typeof ContactBody.Type): Contact => ({
  ...toListedContact(wire),
  userId: wire.user_id,
  source: wire.source,
  updatedAt: toInstant(wire.updated_at)
})

export const toKnownContact = (wire: typeof ContactDetailBody.Type): KnownContact => ({
  ...toContact(wire),
  properties: wire.properties,
  blockReason: wire.email_delivery_block_reason
})

export const toProperty = (wire: typeof PropertyBody.Type): Property => ({
  id: idOf(wire.id),
  key: wire.key,
  type: wire.type,
  fallbackValue: wire.fallback_value,
  ...toStamps(wire)
})

export const toContactList = (wire: typeof ListBody.Type): ContactList => ({
  id: idOf(wire.id),
  name: wire.name,
  description: wire.description,
  contactCount: wire.contact_count,
  ...toStamps(wire)
})

export const toSegment = (wire: typeof SegmentBody.Type): Segment => ({
  id: idOf(wire.id),
  name: wire.name,
  filter: wire.filter as unknown as Segment["filter"],
  ...toStamps(wire)
})

export const toSuppression = (wire: typeof SuppressionBody.Type): Suppression => ({
  email: wire.email,
  reason: wire.reason,
  reasons: wire.reasons.map(({ reason, since }) => ({ reason, since: toInstant(since) }))
})

const toDnsRecord = (wire: (typeof DomainBody.Type)["dns_records"][number]): DnsRecord => ({
  id: wire.id,
  purpose: wire.purpose,
  type: wire.record_type,
  name: wire.name,
  value: wire.value,
  priority: wire.priority,
  status: wire.status,
  requiredForSending: wire.required_for_sending,
  lastCheckedAt: toInstantOrNull(wire.last_checked_at),
  errorCode: wire.error_code,
  errorMessage: wire.error_message
})

export const toDomain = (wire: typeof DomainBody.Type): ListedDomain => ({
  id: idOf(wire.id),
  domain: wire.domain,
  status: wire.status,
  records: wire.dns_records.map(toDnsRecord),
  verificationError: wire.verification_error,
  verificationAttempts: wire.verification_attempts,
  verificationAttemptedAt: toInstantOrNull(wire.verification_attempted_at),
  lastVerifiedAt: toInstantOrNull(wire.last_verified_at),
  ...toStamps(wire)
})

export const toWebhook = (wire: typeof WebhookBody.Type): ListedWebhook => ({
  id: wire.id,
  url: wire.url,
  events: wire.events,
  description: wire.description,
  status: wire.status,
  ...toStamps(wire)
})

export const toWebhookSecret = (wire: typeof WebhookWithSecretBody.Type): WebhookSecret => ({
  webhook: toWebhook(wire),
  secret: wire.secret
})

export const toWebhookDelivery = (wire: typeof WebhookDeliveryBody.Type): ListedWebhookDelivery => ({
  id: idOf(wire.id),
  eventId: idOf(wire.event_id),
  eventKind: wire.event_type,
  status: wire.status,
  attempts: wire.attempts.map(({ at, status_code, error, duration_ms }) => ({
    at: toInstant(at),
    status: status_code,
    error,
    durationMillis: duration_ms
  })),
  nextAttemptAt: toInstantOrNull(wire.next_attempt_at),
  endedAt: toInstantOrNull(wire.ended_at),
  createdAt: toInstant(wire.created_at)
})
