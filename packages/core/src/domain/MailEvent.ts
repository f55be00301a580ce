/**
 * Events: what happened, appended in the same commit as the move that made it. Source: interface, Events; decision 0016.
 */
import type { Contact } from "./Contact.ts"
import type { DeliveryEventKind, DeliveryReason, DeliveryStatus } from "./DeliveryTable.ts"
import type { ContactId, DeliveryId, EventId, MessageId } from "./Id.ts"
import type { Instant } from "./Instant.ts"
import type { ProjectId } from "./Project.ts"
import type { BounceType } from "./Delivery.ts"

export const eventKinds = ["email.delivered", "email.bounced", "email.failed", "contact.unsubscribed"] as const
export type EventKind = (typeof eventKinds)[number]

/** Facts of a delivery's move; what the message says is looked up when the event goes out. */
export interface DeliveryEventData {
  readonly deliveryId: DeliveryId
  readonly messageId: MessageId
  readonly recipient: string
  readonly contactId: ContactId | null
  readonly status: DeliveryStatus
  readonly previousStatus: DeliveryStatus
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
  readonly reason: "unsubscribed"
}

interface Occurrence {
  readonly id: EventId
  readonly projectId: ProjectId
  readonly occurredAt: Instant
}

export type MailEvent =
  | (Occurrence & { readonly kind: DeliveryEventKind; readonly data: DeliveryEventData })
  | (Occurrence & { readonly kind: "contact.unsubscribed"; readonly data: ContactEventData })
