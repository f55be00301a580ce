/**
 * Events as a program receives them: from `EventSender.subscribe` and `DeliveryLog.listEvents`. Source: docs/spec/coverage.md S10; decision 0016.
 */
import type { SendingSource } from "../access/ApiKey.ts"
import type { ProjectId } from "../access/Project.ts"
import type { Contact } from "../contact/Contact.ts"
import { toContact } from "../contact/Contact.ts"
import type { BounceType } from "../delivery/Delivery.ts"
import type { DeliveryEventKind, DeliveryReason, DeliveryStatus } from "../delivery/DeliveryStatus.ts"
import type { DomainStatus } from "../domain-name/SenderDomain.ts"
import type { Message } from "../message/Message.ts"
import type { Json } from "../value/CanonicalJson.ts"
import type { ContactId, DeliveryId, DomainId, EventId, MessageId } from "../value/Id.ts"
import type { Instant } from "../value/Instant.ts"
import type { DeliveryEventRecord, EventRecord } from "./EventRecord.ts"

/** All kinds of events. */
export const eventKinds = [
  "email.delivered",
  "email.bounced",
  "email.failed",
  "contact.unsubscribed",
  "email.accepted",
  "email.complained",
  "email.suppressed",
  "email.canceled",
  "email.delayed",
  "contact.created",
  "contact.updated",
  "contact.deleted",
  "contact.subscribed",
  "domain.verified",
  "domain.failed"
] as const
/** A kind of event, such as `email.delivered`. */
export type EventKind = (typeof eventKinds)[number]

/** The kinds of a webhook that names no kinds. */
export const defaultEventKinds: ReadonlyArray<EventKind> = [
  "email.delivered",
  "email.bounced",
  "email.failed",
  "contact.unsubscribed"
]

/** A change of the status of a delivery. */
export interface DeliveryEventData {
  readonly deliveryId: DeliveryId
  readonly messageId: MessageId
  /** The address as the send has it. */
  readonly recipient: string
  /** The contact that had the address when the message was accepted; `null` if there was none. */
  readonly contactId: ContactId | null
  /** The status after the change. */
  readonly status: DeliveryStatus
  /** The status before the change; `null` if the delivery was suppressed when the message was accepted. */
  readonly previousStatus: DeliveryStatus | null
  readonly reason: DeliveryReason | null
  /** The number of the event within its delivery, from 1. Events can arrive in another order. */
  readonly sequence: number
  /** The subject of the message, without the body. */
  readonly subject: string
  /** The id of the template from which the message was rendered; `null` without a template. */
  readonly templateId: string | null
  /** The interface through which the message was sent; `null` if the message is no longer stored. */
  readonly source: SendingSource | null
  /** The metadata of the send. */
  readonly metadata: { readonly [key: string]: Json }
}

/** Why a delivery bounced. */
export interface Bounce {
  readonly type: BounceType | null
  /** The code of the relay's reply, such as 550; `null` if the relay sent none. */
  readonly smtpCode: number | null
  /** The enhanced code of the reply, such as `5.1.1`; `null` if the relay sent none. */
  readonly enhancedCode: string | null
  /** The text of the reply. */
  readonly message: string | null
}

/** The data of `email.bounced`. */
export interface BouncedEventData extends DeliveryEventData {
  readonly bounce: Bounce
}

/** The data of `email.failed`. */
export interface FailedEventData extends DeliveryEventData {
  readonly failure: { readonly reason: DeliveryReason | null; readonly message: string | null }
}

/** A new or changed contact, as it was at the time of the event. */
export interface ContactEventData {
  readonly contactId: ContactId
  readonly contact: Contact
  /** `unsubscribed` for `contact.unsubscribed`, otherwise `null`. */
  readonly reason: "unsubscribed" | null
}

/** The data of `contact.deleted`. */
export interface DeletedContactEventData {
  readonly contactId: ContactId
}

/** The result of a check of a sender domain. */
export interface DomainEventData {
  readonly domainId: DomainId
  readonly domain: string
  readonly status: DomainStatus
  /** When the DNS records were last found correct; `null` for never. */
  readonly lastVerifiedAt: Instant | null
}

/** The data of each kind of event. */
interface EventDataByKind extends Record<DeliveryEventKind, DeliveryEventData> {
  "email.bounced": BouncedEventData
  "email.failed": FailedEventData
  "contact.created": ContactEventData
  "contact.updated": ContactEventData
  "contact.subscribed": ContactEventData
  "contact.unsubscribed": ContactEventData
  "contact.deleted": DeletedContactEventData
  "domain.verified": DomainEventData
  "domain.failed": DomainEventData
}

/** The events of some kinds. A check of `kind` narrows the type of `data`. */
export type MailEventOf<K extends EventKind> = {
  readonly [Kind in K]: {
    /** The same on every attempt to send the event. */
    readonly id: EventId
    readonly projectId: ProjectId
    readonly kind: Kind
    readonly occurredAt: Instant
    readonly data: EventDataByKind[Kind]
  }
}[K]

/** An event of any kind. */
export type MailEvent = MailEventOf<EventKind>

/** The fields of a message that belong to the events of its deliveries. */
export type EventMessage = Pick<Message, "subject" | "templateId" | "source" | "metadata">

const toDeliveryEvent = (record: DeliveryEventRecord, message: EventMessage | null): MailEventOf<DeliveryEventKind> => {
  const { id, projectId, kind, occurredAt } = record
  const { bounceType, smtpCode, enhancedCode, message: text, ...facts } = record.data
  const occurrence = { id, projectId, occurredAt }
  const data: DeliveryEventData = {
    ...facts,
    subject: message?.subject ?? "",
    templateId: message?.templateId ?? null,
    source: message?.source ?? null,
    metadata: message?.metadata ?? {}
  }
  switch (kind) {
    case "email.bounced":
      return {
        ...occurrence,
        kind,
        data: { ...data, bounce: { type: bounceType, smtpCode, enhancedCode, message: text } }
      }
    case "email.failed":
      return { ...occurrence, kind, data: { ...data, failure: { reason: facts.reason, message: text } } }
    default:
      return { ...occurrence, kind, data }
  }
}

/** Makes the event of a record. `message` is the message of the delivery; `null` if the event is not about a delivery. */
export const toMailEvent = (record: EventRecord, message: EventMessage | null): MailEvent => {
  if ("deliveryId" in record.data) return toDeliveryEvent(record as DeliveryEventRecord, message)
  if ("contact" in record.data) {
    const { contact, reason } = record.data
    const data: ContactEventData = { contactId: contact.id, contact: toContact(contact), reason }
    return { ...record, data } as MailEvent
  }
  return record as MailEvent
}
