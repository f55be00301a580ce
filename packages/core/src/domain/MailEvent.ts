/**
 * Events: facts, each appended in the commit that made it true. Source: interface, Events; decision 0016.
 */
import type { Contact } from "./Contact.ts"
import type { DeliveryEventKind, DeliveryReason, DeliveryStatus } from "./DeliveryTable.ts"
import type { ContactId, DeliveryId, DomainId, EventId, MessageId } from "./Id.ts"
import type { Instant } from "./Instant.ts"
import type { ProjectId } from "./Project.ts"
import type { DomainStatus } from "./SenderDomain.ts"
import type { BounceType } from "./Delivery.ts"

/** All kinds of events. The first four are the default of a webhook that names no kinds. */
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
export type EventKind = (typeof eventKinds)[number]

export const defaultEventKinds: ReadonlyArray<EventKind> = eventKinds.slice(0, 4)

/** The facts of a delivery's transition. The message is read when the event is delivered. */
export interface DeliveryEventData {
  readonly deliveryId: DeliveryId
  readonly messageId: MessageId
  readonly recipient: string
  readonly contactId: ContactId | null
  readonly status: DeliveryStatus
  /** `null` if the delivery was suppressed at acceptance. */
  readonly previousStatus: DeliveryStatus | null
  readonly reason: DeliveryReason | null
  /** The number of the event within its delivery, from 1. */
  readonly sequence: number
  readonly bounceType: BounceType | null
  readonly smtpCode: number | null
  readonly enhancedCode: string | null
  readonly message: string | null
}

export interface ContactEventData {
  readonly contact: Contact
  readonly reason: "unsubscribed" | null
}

/** The event of a deleted contact contains only the id. */
export interface ErasedContactData {
  readonly contactId: ContactId
}

export interface DomainEventData {
  readonly domainId: DomainId
  readonly domain: string
  readonly status: DomainStatus
  readonly lastVerifiedAt: Instant | null
}

interface Occurrence {
  readonly id: EventId
  readonly projectId: ProjectId
  readonly occurredAt: Instant
}

export type MailEvent =
  | (Occurrence & { readonly kind: DeliveryEventKind; readonly data: DeliveryEventData })
  | (Occurrence & {
      readonly kind: "contact.created" | "contact.updated" | "contact.subscribed" | "contact.unsubscribed"
      readonly data: ContactEventData
    })
  | (Occurrence & { readonly kind: "contact.deleted"; readonly data: ErasedContactData })
  | (Occurrence & { readonly kind: "domain.verified" | "domain.failed"; readonly data: DomainEventData })
