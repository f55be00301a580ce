/**
 * The record of an event: a fact, appended in the commit that made it true. `MailEvent` is the event as a program receives it.
 * Source: docs/spec/coverage.md S10; decision 0016.
 */
import type { ProjectId } from "../access/Project.ts"
import type { ContactRecord } from "../contact/Contact.ts"
import type { BounceType } from "../delivery/Delivery.ts"
import type { DeliveryEventKind, DeliveryReason, DeliveryStatus } from "../delivery/DeliveryStatus.ts"
import type { DomainStatus } from "../domain-name/SenderDomain.ts"
import type { ContactId, DeliveryId, DomainId, EventId, MessageId } from "../value/Id.ts"
import type { Instant } from "../value/Instant.ts"

/** The stored facts of a delivery's transition. The message is read when the event is sent or listed. */
interface DeliveryEventRecordData {
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

/** The contact as it was at the time of the event. */
export interface ContactEventRecordData {
  readonly contact: ContactRecord
  readonly reason: "unsubscribed" | null
}

/** The event of a deleted contact contains only the id. */
interface DeletedContactRecordData {
  readonly contactId: ContactId
}

/** The result of a check of a sender domain. */
interface DomainEventRecordData {
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

export type DeliveryEventRecord = Occurrence & {
  readonly kind: DeliveryEventKind
  readonly data: DeliveryEventRecordData
}

/** The record of an event. */
export type EventRecord =
  | DeliveryEventRecord
  | (Occurrence & {
      readonly kind: "contact.created" | "contact.updated" | "contact.subscribed" | "contact.unsubscribed"
      readonly data: ContactEventRecordData
    })
  | (Occurrence & { readonly kind: "contact.deleted"; readonly data: DeletedContactRecordData })
  | (Occurrence & { readonly kind: "domain.verified" | "domain.failed"; readonly data: DomainEventRecordData })

/** Returns the id of the message that belongs to an event, or `null` if no message belongs to the event. */
export const messageIdOfEvent = ({ data }: EventRecord): MessageId | null =>
  "deliveryId" in data ? data.messageId : null
