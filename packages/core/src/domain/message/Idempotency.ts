/**
 * The record of an accepted send under its `Idempotency-Key`. Source: docs/spec/coverage.md S6.3 and S6.4; decision 0007.
 */
import type { DeliveryId, MessageId } from "../value/Id.ts"
import type { Instant } from "../value/Instant.ts"
import { dayMillis } from "../value/Instant.ts"
import type { ProjectId } from "../access/Project.ts"

/** What an idempotency record keeps of an accepted send, so that a repeat gets the same result. Source: docs/spec/coverage.md S2.1. */
export interface AcceptedSend {
  readonly messageId: MessageId
  readonly deliveryIds: ReadonlyArray<DeliveryId>
  readonly totalQueued: number
  readonly scheduledAt: Instant | null
}

/** The record of an accepted send under its idempotency key. A repeat of the send gets `result`. */
export interface IdempotencyRecord {
  readonly projectId: ProjectId
  readonly key: string
  /** SHA-256 of the canonical request, in hex. */
  readonly fingerprint: string
  readonly result: AcceptedSend
  readonly expiresAt: Instant
}

/**
 * Returns the idempotency key of one SMTP transaction. `recipients` identifies its recipients. It has a space, which no idempotency key of a caller has, so
 * no other send has it.
 */
export const transactionKey = (idempotencyKey: string, recipients: string): string => `${idempotencyKey} ${recipients}`

const lifetimeMillis = 30 * dayMillis

/** Returns the expiry: 30 days after acceptance or after the scheduled time, whichever is later. */
export const idempotencyExpiry = (acceptedAt: Instant, scheduledAt: Instant | null): Instant =>
  Math.max(acceptedAt, scheduledAt ?? acceptedAt) + lifetimeMillis
