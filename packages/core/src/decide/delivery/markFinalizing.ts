/**
 * Marks an attempt as finalizing, just before the transport sends the end of data. Source: decisions 0006 and 0035.
 */
import { freshAttempt } from "../../domain/delivery/Delivery.ts"
import type { SuppressionRecord } from "../../domain/contact/Suppression.ts"
import { suppressedFor } from "../../domain/contact/Suppression.ts"
import type { Conflict } from "../../domain/store/Conflict.ts"
import type { EventId } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { Decision } from "../store/Decision.ts"
import { expectSuppression } from "../store/expectation.ts"
import { leaseRenewal } from "../store/lease.ts"
import type { StartedAttempt } from "./beginAttempt.ts"
import { attemptChange, endedAttemptChange } from "./attemptChange.ts"
import { applyTransition, transitionAndRefunds } from "./transition.ts"

export interface MarkFinalizingFacts extends Pick<StartedAttempt, "delivery" | "attempt"> {
  readonly now: Instant
  readonly eventId: EventId
  /** The address key of the recipient's suppression. */
  readonly addressKey: string
  readonly suppression: SuppressionRecord | null
  /** The new end of the worker's lease; `null` when the lease was set a short time ago. */
  readonly leaseUntil: Instant | null
}

/**
 * The answer is `true` if the transport may send the end of data, and `false` if the recipient is suppressed: the delivery then ends.
 *
 * The commit has two guards and may renew the lease. The suppression has not changed, so no end of data is sent after a suppression is
 * committed. The fencing token shows that no other worker has claimed the delivery. The lease has no guard. It prevents a later claim by another
 * worker.
 */
export const markFinalizing = (facts: MarkFinalizingFacts): Decision<boolean> => {
  const { now, eventId, delivery, attempt, addressKey, suppression, leaseUntil } = facts
  const suppressed = suppressedFor(suppression, now)
  if (suppressed !== null)
    return {
      answer: false,
      changes: [
        endedAttemptChange(attempt, delivery, { outcome: "suppressed" }, now),
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
      attemptChange(attempt, delivery, { ...freshAttempt, phase: "finalizing" }),
      ...leaseRenewal(delivery.worker, now, leaseUntil)
    ]
  }
}

/**
 * Whether the suppression of the recipient changed since it was read: its guard is the only `Expect` of the commit. Any other conflict means that
 * another worker has claimed the delivery.
 */
export const isSuppressionChange = ({ change }: Conflict): boolean => change === "Expect"
