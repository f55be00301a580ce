/**
 * Events: what happened, appended in the same commit as the move that made it. Source: interface, Events; decision 0016.
 */
import type { Contact } from "./Contact.ts"
import type { DeliveryEventKind, DeliveryReason, DeliveryStatus } from "./DeliveryTable.ts"
import type { ContactId, DeliveryId, DomainId, EventId, MessageId } from "./Id.ts"
import type { Instant } from "./Instant.ts"
import type { ProjectId } from "./Project.ts"
import type { DomainStatus } from "./SenderDomain.ts"
import type { BounceType } from "./Delivery.ts"

/** The interface's own four come first; they go to a webhook that names none. */
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

/** Facts of a delivery's move; what the message says is looked up when the event goes out. */
export interface DeliveryEventData {
  readonly deliveryId: DeliveryId
  readonly messageId: MessageId
  readonly recipient: string
  readonly contactId: ContactId | null
  readonly status: DeliveryStatus
  /** `null` when it was suppressed at acceptance. */
  readonly previousStatus: DeliveryStatus | null
  readonly reason: DeliveryReason | null
  /** From 1; orders the events of one delivery. */
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

/** Of a contact that is erased nothing is told but its id. */
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
