/**
 * An event delivery as the log of a webhook shows it. Source: decision 0028.
 */
import type { EventDelivery, EventDeliveryAttempt, EventDeliveryStatus } from "../event/EventDelivery.ts"
import type { EventKind } from "../event/MailEvent.ts"
import type { EventDeliveryId, EventId } from "../value/Id.ts"
import type { Instant } from "../value/Instant.ts"

/** An event delivery to a webhook, and its attempts. It is kept for `retention.eventsMillis` after its end, 30 days by default. */
export interface WebhookDelivery {
  /** The `webhook-id` of each request. */
  readonly id: EventDeliveryId
  readonly webhookId: string
  readonly eventId: EventId
  readonly eventKind: EventKind
  readonly status: EventDeliveryStatus
  /** The number of attempts since the event delivery was created or replayed. */
  readonly attemptCount: number
  /** The latest attempts, oldest first: at most 20. Also has an entry for each time when nothing was sent; `attemptCount` does not count these. */
  readonly attempts: ReadonlyArray<EventDeliveryAttempt>
  /** When the next attempt is due; `null` after the end. */
  readonly nextAttemptAt: Instant | null
  /** When the event was accepted, the last attempt failed, or no attempt was possible any more; `null` while attempts follow. */
  readonly endedAt: Instant | null
  readonly createdAt: Instant
}

/** Returns the event delivery of a record, without the fields that only a worker needs. */
export const toWebhookDelivery = (record: EventDelivery): WebhookDelivery => ({
  id: record.id,
  webhookId: record.subscriber,
  eventId: record.eventId,
  eventKind: record.eventKind,
  status: record.status,
  attemptCount: record.attemptCount,
  attempts: record.latestAttempts,
  nextAttemptAt: record.dueAt,
  endedAt: record.endedAt,
  createdAt: record.createdAt
})
