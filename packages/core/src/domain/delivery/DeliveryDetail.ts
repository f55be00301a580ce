/**
 * A delivery with everything that its log shows. Source: docs/spec/coverage.md S5.16; decision 0017.
 */
import type { SendingSource } from "../access/ApiKey.ts"
import type { ContactRecord } from "../contact/Contact.ts"
import type { SenderDomainRecord } from "../domain-name/SenderDomain.ts"
import type { AttachmentSummary } from "../message/Attachment.ts"
import { toAttachmentSummary } from "../message/attachmentContent.ts"
import type { HeaderFields } from "../message/HeaderField.ts"
import type { Message } from "../message/Message.ts"
import { idempotencyKeyOf } from "../message/Message.ts"
import type { ResourceOf } from "../store/Resource.ts"
import type { Json } from "../value/CanonicalJson.ts"
import type { ContactId, DomainId, MessageId } from "../value/Id.ts"
import type { Instant } from "../value/Instant.ts"
import type { Attempt, AttemptOutcome, BounceType, Delivery, DeliverySummary, RecipientKind } from "./Delivery.ts"
import { summaryOf } from "./Delivery.ts"
import type { DeliveryReason } from "./DeliveryStatus.ts"

/** One try to hand the delivery to the transport. */
export interface DeliveryAttempt {
  /** From 1. */
  readonly number: number
  readonly startedAt: Instant
  /** `null` while the attempt is under way. */
  readonly outcome: AttemptOutcome | null
  /** The code of the relay's reply, such as 250; `null` without a reply. */
  readonly smtpCode: number | null
  /** The enhanced code of the reply, such as `5.1.1`; `null` without one. */
  readonly enhancedCode: string | null
  /** The text of the reply, or an explanation. */
  readonly statusMessage: string | null
  /** `null` while the attempt is under way. */
  readonly durationMillis: number | null
}

/** The message of a delivery: what was accepted, once for all recipients. */
export interface DeliveryMessage {
  readonly id: MessageId
  readonly from: string
  readonly fromName: string | null
  readonly replyTo: string | null
  /** The addresses of the `To` header field. Empty: each delivery shows only its own recipient. */
  readonly to: ReadonlyArray<string>
  /** The addresses of the `Cc` header field. */
  readonly cc: ReadonlyArray<string>
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  /** Header fields of the product. */
  readonly headers: HeaderFields
  /** The files, without their contents. */
  readonly attachments: ReadonlyArray<AttachmentSummary>
  readonly metadata: { readonly [key: string]: Json }
  /** For a message of a batch: the idempotency key of the batch, a space, and the position of the message from 0. `null` if the send had none. */
  readonly idempotencyKey: string | null
}

/** One delivery with its message, its attempts and the records to which it belongs. */
export interface DeliveryDetail extends DeliverySummary {
  readonly recipientKind: RecipientKind
  /** The interface through which the message was sent. */
  readonly source: SendingSource
  readonly reason: DeliveryReason | null
  /** A sentence for people: the last reply of the relay, or an explanation of the reason. */
  readonly statusMessage: string | null
  /** When the next attempt is due; `null` if none follows. */
  readonly nextAttemptAt: Instant | null
  readonly bounceType: BounceType | null
  readonly canceledAt: Instant | null
  readonly acceptedAt: Instant | null
  readonly deliveredAt: Instant | null
  readonly bouncedAt: Instant | null
  readonly complainedAt: Instant | null
  readonly failedAt: Instant | null
  readonly message: DeliveryMessage
  /** Oldest first. */
  readonly attempts: ReadonlyArray<DeliveryAttempt>
  /** The sender domain as the send has it. */
  readonly senderDomain: string
  /** The sender domain's record; `null` if the domain has been deleted. */
  readonly domain: { readonly id: DomainId; readonly domain: string } | null
  /** The contact that had the address when the message was accepted; `null` if there was none or it has been deleted. */
  readonly contact: {
    readonly id: ContactId
    readonly email: string
    readonly firstName: string
    readonly lastName: string
  } | null
  /** The template from which the message was rendered, also after it was archived; `null` without a template. */
  readonly template: { readonly id: string; readonly name: string } | null
}

/** The records of which a detail is made. */
export interface DeliveryRecords {
  readonly delivery: Delivery
  readonly message: Message
  readonly attempts: ReadonlyArray<Attempt>
  readonly contact: ContactRecord | null
  readonly domain: SenderDomainRecord | null
  readonly template: ResourceOf<"template"> | null
}

const toMessage = (message: Message): DeliveryMessage => ({
  id: message.id,
  from: message.from,
  fromName: message.fromName,
  replyTo: message.replyTo,
  to: message.to,
  cc: message.cc,
  subject: message.subject,
  html: message.html,
  text: message.text,
  headers: message.headers,
  attachments: message.attachments.map(toAttachmentSummary),
  metadata: message.metadata,
  idempotencyKey: idempotencyKeyOf(message)
})

const toAttempt = (attempt: Attempt): DeliveryAttempt => ({
  number: attempt.number,
  startedAt: attempt.startedAt,
  outcome: attempt.outcome,
  smtpCode: attempt.smtpCode,
  enhancedCode: attempt.enhancedCode,
  statusMessage: attempt.statusMessage,
  durationMillis: attempt.durationMillis
})

/** Makes the detail of a delivery, without the fields that only the store and the workers need. */
export const toDeliveryDetail = (records: DeliveryRecords): DeliveryDetail => {
  const { delivery, message, attempts, contact, domain, template } = records
  return {
    ...summaryOf(delivery, message.subject),
    recipientKind: delivery.kind,
    source: delivery.source,
    reason: delivery.reason,
    statusMessage: delivery.statusMessage,
    nextAttemptAt: delivery.status === "queued" || delivery.status === "scheduled" ? delivery.dueAt : null,
    bounceType: delivery.bounceType,
    canceledAt: delivery.canceledAt,
    acceptedAt: delivery.acceptedAt,
    deliveredAt: delivery.deliveredAt,
    bouncedAt: delivery.bouncedAt,
    complainedAt: delivery.complainedAt,
    failedAt: delivery.failedAt,
    message: toMessage(message),
    attempts: attempts.map(toAttempt),
    senderDomain: message.domain,
    domain: domain === null ? null : { id: domain.id, domain: domain.domain },
    contact:
      contact === null
        ? null
        : { id: contact.id, email: contact.email, firstName: contact.firstName, lastName: contact.lastName },
    template: template === null ? null : { id: template.id, name: template.content.name }
  }
}
