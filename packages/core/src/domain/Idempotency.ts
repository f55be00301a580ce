/**
 * What a project remembers of a send under its `Idempotency-Key`. Source: interface, Send an email; decision 0007.
 */
import type { DeliveryId, MessageId } from "./Id.ts"
import type { Instant } from "./Instant.ts"
import { dayMillis } from "./Instant.ts"
import type { ProjectId } from "./Project.ts"

/** The answer to an accepted send. Source: interface, Send result. */
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

/** 30 days after the later of acceptance and scheduled time. */
export const idempotencyExpiry = (acceptedAt: Instant, scheduledAt: Instant | null): Instant =>
  Math.max(acceptedAt, scheduledAt ?? acceptedAt) + lifetimeMillis
