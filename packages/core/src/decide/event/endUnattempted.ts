/**
 * Ends event deliveries that no process has attempted before their events were deleted. Source: decisions 0016 and 0051.
 */
import type { EventDelivery } from "../../domain/event/EventDelivery.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { Decision } from "../store/Decision.ts"
import { finishEventDelivery } from "./finishEventDelivery.ts"

/** The claimed event deliveries fail with `event_deleted`. The answer is each of them after its end. */
export const endUnattempted = (
  claimed: ReadonlyArray<EventDelivery>,
  now: Instant
): Decision<ReadonlyArray<EventDelivery>> => {
  const finished = claimed.map((one) =>
    finishEventDelivery(
      { _tag: "NotAttempted", error: "event_deleted" },
      { now, startedAt: now, claimed: one, current: one, webhook: null, attemptedUrl: null }
    )
  )
  return {
    answer: finished.flatMap(({ answer }) => (answer.eventDelivery === null ? [] : [answer.eventDelivery])),
    changes: finished.flatMap(({ changes }) => changes)
  }
}
