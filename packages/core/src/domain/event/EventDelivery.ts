/**
 * An event delivery: one event to one subscriber, and its attempts. Source: decision 0016.
 */
import type { EventId, EventDeliveryId } from "../value/Id.ts"
import type { Instant } from "../value/Instant.ts"
import type { EventKind } from "./MailEvent.ts"
import type { ProjectId } from "../access/Project.ts"

/** All statuses of an event delivery. `delivered` and `failed` are final, except that a replay makes the event delivery pending again. */
export const eventDeliveryStatuses = ["pending", "delivered", "failed"] as const
/** The status of an event delivery. */
export type EventDeliveryStatus = (typeof eventDeliveryStatuses)[number]

/** An entry of the log of an event delivery: one attempt, or the reason why none was made. */
export interface EventDeliveryAttempt {
  /** When the attempt started. */
  readonly at: Instant
  /** The status of the HTTP response; `null` without a response. */
  readonly status: number | null
  /**
   * Why there was no response, such as `timeout`. Or why nothing was sent, such as `webhook_disabled` or `event_deleted`. `null` with a response.
   */
  readonly error: string | null
  /** How long the attempt took, in milliseconds. */
  readonly durationMillis: number
}

/** The response of a subscriber that an event sink reports. */
export type SinkOutcome =
  /** The subscriber has the event. */
  | { readonly _tag: "Accepted"; readonly status: number | null }
  /** The subscriber refused the event. `wantsNoMoreEvents`: it refuses all later events too, as an endpoint does with 410. */
  | {
      readonly _tag: "Refused"
      readonly status: number | null
      readonly retryAfterSeconds: number | null
      readonly wantsNoMoreEvents: boolean
    }

/** The fields of an event delivery that transitions change. */
export interface EventDeliveryState {
  readonly status: EventDeliveryStatus
  /** The instant from which a claim can take the event delivery; `null` means never. */
  readonly dueAt: Instant | null
  readonly worker: string | null
  /** Grows with each claim and each transition. A write with an older token is refused. */
  readonly fencingToken: number
  /** The number of attempts since the event delivery was created or replayed. It is the position in the retry schedule. */
  readonly attemptCount: number
  /** The latest attempts, oldest first. Also has an entry for each time when nothing was sent; `attemptCount` does not count these. */
  readonly latestAttempts: ReadonlyArray<EventDeliveryAttempt>
  /** When the event was accepted, the last attempt failed, or no attempt was possible any more; `null` while the event delivery is pending. */
  readonly endedAt: Instant | null
}

/** The record of an event delivery. */
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
  attemptCount,
  latestAttempts,
  endedAt
}: EventDelivery): EventDeliveryState => ({
  status,
  dueAt,
  worker,
  fencingToken,
  attemptCount,
  latestAttempts,
  endedAt
})
