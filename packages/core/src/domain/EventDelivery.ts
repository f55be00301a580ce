/**
 * An event delivery: one event to one subscriber, and its attempts. Source: decision 0016.
 */
import type { EventId, EventDeliveryId } from "./Id.ts"
import type { Instant } from "./Instant.ts"
import type { EventKind } from "./MailEvent.ts"
import type { ProjectId } from "./Project.ts"

export const eventDeliveryStatuses = ["pending", "delivered", "failed"] as const
export type EventDeliveryStatus = (typeof eventDeliveryStatuses)[number]

export interface EventDeliveryAttempt {
  readonly at: Instant
  /** The HTTP status of the subscriber's answer; `null` if it did not answer. */
  readonly status: number | null
  /** Why there was no answer, as a sentence of Mailkeep. */
  readonly error: string | null
  readonly durationMillis: number
}

/** The answer of a subscriber that an event sink reports. */
export type SinkOutcome =
  /** The subscriber has the event. */
  | { readonly _tag: "Accepted"; readonly status: number | null }
  /** The subscriber refused the event. `gone`: the subscriber wants no further events. */
  | {
      readonly _tag: "Refused"
      readonly status: number | null
      readonly retryAfterSeconds: number | null
      readonly gone: boolean
    }

export interface EventDeliveryState {
  readonly status: EventDeliveryStatus
  /** The instant from which a claim can take the event delivery; `null` means never. */
  readonly dueAt: Instant | null
  readonly worker: string | null
  /** Grows with each claim and each transition. A write with an older token is refused. */
  readonly fencingToken: number
  /** The number of attempts since the event delivery was created or replayed. It is the position in the retry schedule. */
  readonly attempts: number
  /** The latest attempts, oldest first. */
  readonly latestAttempts: ReadonlyArray<EventDeliveryAttempt>
  readonly settledAt: Instant | null
}

export interface EventDelivery extends EventDeliveryState {
  readonly id: EventDeliveryId
  readonly projectId: ProjectId
  /** The id of the webhook or of the subscription. */
  readonly subscriber: string
  readonly eventId: EventId
  readonly eventKind: EventKind
  readonly createdAt: Instant
}

/** The number of attempts that an event delivery stores. */
export const latestAttemptsMax = 20

/** Returns the fields of an event delivery that transitions change. */
export const eventDeliveryState = ({
  status,
  dueAt,
  worker,
  fencingToken,
  attempts,
  latestAttempts,
  settledAt
}: EventDelivery): EventDeliveryState => ({
  status,
  dueAt,
  worker,
  fencingToken,
  attempts,
  latestAttempts,
  settledAt
})
