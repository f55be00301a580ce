/**
 * Marks an attempt as finalizing, just before the transport sends the final bytes. Source: decisions 0006 and 0035.
 */
import type { Attempt } from "../../domain/delivery/Delivery.ts"
import type { SuppressionRecord } from "../../domain/contact/Suppression.ts"
import { suppressedFor } from "../../domain/contact/Suppression.ts"
import type { Change } from "../../domain/store/Change.ts"
import type { EventId } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { Decision } from "../store/Decision.ts"
import { expectSuppression } from "../store/expectation.ts"
import type { StartedAttempt } from "./beginAttempt.ts"
import { applyTransition, transitionAndRefunds } from "./transition.ts"

export interface MarkFinalizingFacts extends Pick<StartedAttempt, "delivery" | "attempt"> {
  readonly now: Instant
  readonly eventId: EventId
  /** The address key of the recipient's suppression. */
  readonly addressKey: string
  readonly suppression: SuppressionRecord | null
  /** The new end of the worker's lease. */
  readonly leaseUntil: Instant
}

/**
 * The answer is `true` if the transport may send the final bytes, and `false` if the recipient is suppressed: the delivery then ends.
 *
 * The commit has two guards and a renewed lease. The suppression has not changed, so no final bytes are sent after a suppression is committed.
 * The fencing token shows that no other worker has claimed the delivery. The renewed lease has no guard. It prevents a later claim by another
 * worker.
 */
export const markFinalizing = (facts: MarkFinalizingFacts): Decision<boolean> => {
  const { now, eventId, delivery, attempt, addressKey, suppression, leaseUntil } = facts
  const attemptTo = (next: Partial<Attempt>): Change => {
    const { deliveryId, number, startedAt: _, ...state } = attempt
    return {
      _tag: "MoveAttempt",
      deliveryId,
      number,
      fencingToken: delivery.fencingToken,
      from: "started",
      next: { ...state, ...next }
    }
  }
  const suppressed = suppressedFor(suppression, now)
  if (suppressed !== null)
    return {
      answer: false,
      changes: [
        attemptTo({ phase: "ended", outcome: "suppressed", durationMillis: Math.max(0, now - attempt.startedAt) }),
        ...transitionAndRefunds(
          applyTransition(delivery, "RecipientSuppressed", now, { reason: suppressed }),
          now,
          eventId
        )
      ]
    }
  return {
    answer: true,
    changes: [
      expectSuppression(delivery.projectId, addressKey, suppression),
      attemptTo({ phase: "finalizing" }),
      ...(delivery.worker === null
        ? []
        : [{ _tag: "RenewLease", worker: delivery.worker, renewedAt: now, leaseUntil } as const])
    ]
  }
}
