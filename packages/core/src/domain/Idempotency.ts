/**
 * The record of an accepted send under its `Idempotency-Key`. Source: interface, Send an email; decision 0007.
 */
import type { DeliveryId, MessageId } from "./Id.ts"
import type { Instant } from "./Instant.ts"
import { dayMillis } from "./Instant.ts"
import type { ProjectId } from "./Project.ts"

/** The result of an accepted send. Source: interface, Send result. */
export interface SendResult {
  readonly messageId: MessageId
  readonly deliveryIds: ReadonlyArray<DeliveryId>
  readonly totalQueued: number
  readonly scheduledAt: Instant | null
}

export interface IdempotencyRecord {
  readonly projectId: ProjectId
  readonly key: string
  /** SHA-256 of the canonical request, in hex. */
  readonly fingerprint: string
  readonly result: SendResult
  readonly expiresAt: Instant
}

const lifetimeMillis = 30 * dayMillis

/** Returns the expiry: 30 days after acceptance or after the scheduled time, whichever is later. */
export const idempotencyExpiry = (acceptedAt: Instant, scheduledAt: Instant | null): Instant =>
  Math.max(acceptedAt, scheduledAt ?? acceptedAt) + lifetimeMillis
