/**
 * Makes an event delivery due at once, when it has ended or waits for a later attempt. Source: decision 0028.
 */
import { Result } from "effect"
import type { EventDelivery, EventDeliveryState } from "../../domain/event/EventDelivery.ts"
import { eventDeliveryState } from "../../domain/event/EventDelivery.ts"
import type { EventRecord } from "../../domain/event/EventRecord.ts"
import type { Resource } from "../../domain/store/Resource.ts"
import { RecordNotFound } from "../../domain/store/RecordFailure.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { Decision } from "../store/Decision.ts"
import { unchanged } from "../store/Decision.ts"

export interface ReplayFacts {
  readonly now: Instant
  /** The id of the webhook in the request. */
  readonly webhookId: string
  /** The id of the event delivery in the request. */
  readonly id: string
  /** The resource with the id of the webhook; `null` if the project has none. It may be of another kind. */
  readonly webhook: Resource | null
  /** The event delivery with this id; `null` if the project has none. */
  readonly existing: EventDelivery | null
  /** The event of the event delivery; `null` if it has been deleted. It is deleted by its own age, often before its event deliveries. */
  readonly event: EventRecord | null
}

/** Whether a worker has the event delivery, or takes it at its next claim. Another attempt would send the event twice. */
const isUnderWay = ({ status, worker, dueAt }: EventDelivery, now: Instant): boolean =>
  status === "pending" && (worker !== null || dueAt === null || dueAt <= now)

/**
 * Makes the event delivery due at once, at the start of its retry schedule. One that is due or is being sent does not change. Fails if the project
 * has no such webhook, if the webhook has no event delivery with this id, or if its event has been deleted.
 */
export const replayEventDelivery = ({
  now,
  webhookId,
  id,
  webhook,
  existing,
  event
}: ReplayFacts): Result.Result<Decision<EventDelivery>, RecordNotFound> => {
  if (webhook?.kind !== "webhook") return Result.fail(new RecordNotFound({ record: "webhook", id: webhookId }))
  if (existing === null || existing.subscriber !== webhookId)
    return Result.fail(new RecordNotFound({ record: "event delivery", id }))
  if (isUnderWay(existing, now)) return Result.succeed(unchanged(existing))
  if (event === null) return Result.fail(new RecordNotFound({ record: "event", id }))
  const next: EventDeliveryState = {
    ...eventDeliveryState(existing),
    status: "pending",
    dueAt: now,
    worker: null,
    fencingToken: existing.fencingToken + 1,
    attemptCount: 0,
    endedAt: null
  }
  return Result.succeed({
    answer: { ...existing, ...next },
    changes: [
      {
        _tag: "TransitionEventDelivery",
        projectId: existing.projectId,
        id: existing.id,
        from: existing.status,
        fencingToken: existing.fencingToken,
        next
      }
    ]
  })
}
