/**
 * Begins an attempt for a queued delivery, or ends the delivery if it must not be sent. Marks an attempt as finalizing.
 * Source: decision 0006.
 */
import type { Change } from "../domain/Change.ts"
import type { Attempt, Delivery } from "../domain/Delivery.ts"
import { freshAttempt } from "../domain/Delivery.ts"
import type { EventId } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import type { Message } from "../domain/Message.ts"
import { noLimits } from "../domain/Plan.ts"
import type { Suppression } from "../domain/Suppression.ts"
import { suppressedFor } from "../domain/Suppression.ts"
import type { Decision } from "./Decision.ts"
import { expectSuppression } from "./expectation.ts"
import type { Transition } from "./transition.ts"
import { isNotYetDue, applyTransition, transitionChanges, spendCounters } from "./transition.ts"

export interface BeginFacts {
  readonly now: Instant
  readonly eventId: EventId
  readonly maxMessageBytes: number | null
  /** Claimed, in status `queued`. */
  readonly delivery: Delivery
  readonly message: Message
  readonly suppression: Suppression | null
}

/** A delivery in status `sending` with its current attempt. */
export interface Begun {
  readonly delivery: Delivery
  readonly attempt: Attempt
}

/** Returns an upper bound of the encoded size: base64, line ends and 4096 octets for the header. */
const encodedOctets = ({ subject, html, text }: Message): number =>
  4096 + Math.ceil([subject, html, text].reduce((sum, part) => sum + (part?.length ?? 0) * 3, 0) * 1.4)

const ended = (transition: Transition, now: Instant, eventId: EventId): Decision<null> => ({
  answer: null,
  changes: [
    ...transitionChanges(transition, now, eventId),
    ...spendCounters(transition.before.projectId, transition.spends, noLimits)
  ]
})

/** Begins an attempt. The answer is `null` if the delivery ended, or if it is not due and returns to the queue. */
export const beginAttempt = (facts: BeginFacts): Decision<Begun | null> => {
  const { now, eventId, delivery, message } = facts
  if (isNotYetDue(delivery, now)) return ended(applyTransition(delivery, "NotYetDue", now), now, eventId)
  const suppressed = suppressedFor(facts.suppression, now)
  if (suppressed !== null)
    return ended(applyTransition(delivery, "RecipientSuppressed", now, { reason: suppressed }), now, eventId)
  // Only `expiresAt` ends a delivery before an attempt. After a downtime, the default lifetime thus still allows one attempt.
  if (message.expiresAt !== null && message.expiresAt <= now)
    return ended(
      applyTransition(delivery, "SendExpired", now, {
        statusMessage: delivery.statusMessage ?? "The message expired in the queue."
      }),
      now,
      eventId
    )
  if (facts.maxMessageBytes !== null && encodedOctets(message) > facts.maxMessageBytes)
    return ended(
      applyTransition(delivery, "MessageTooLarge", now, {
        statusMessage: "The message is larger than the transport allows."
      }),
      now,
      eventId
    )
  const number = delivery.attempts + 1
  const attempt: Attempt = { ...freshAttempt, deliveryId: delivery.id, number, startedAt: now }
  const transition = applyTransition(delivery, "Claimed", now, {
    attempts: number,
    dueAt: now,
    statusMessage: delivery.statusMessage
  })
  return {
    answer: { delivery: transition.after, attempt },
    changes: [...transitionChanges(transition, now, eventId), { _tag: "InsertAttempt", attempt }]
  }
}

export interface FinalizingFacts extends Begun {
  readonly now: Instant
  readonly eventId: EventId
  /** The address key of the recipient's suppression. */
  readonly addressKey: string
  readonly suppression: Suppression | null
  /** The new end of the worker's lease. */
  readonly leaseUntil: Instant
}

/**
 * Marks an attempt as finalizing. The answer is `true` if the transport may send the final dot.
 * The commit guards the suppression, so that no final dot is sent after a suppression is committed.
 * The same commit renews the worker's lease. The fencing token shows that no other worker has claimed the delivery.
 * The renewed lease prevents a claim by another worker. The answer is `false` if the delivery is suppressed.
 */
export const markFinalizing = (facts: FinalizingFacts): Decision<boolean> => {
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
  if (suppressed === null)
    return {
      answer: true,
      changes: [
        expectSuppression(delivery.projectId, addressKey, suppression),
        attemptTo({ phase: "finalizing" }),
        ...(delivery.worker === null ? [] : [{ _tag: "RenewLease", worker: delivery.worker, leaseUntil } as const])
      ]
    }
  const { changes } = ended(applyTransition(delivery, "RecipientSuppressed", now, { reason: suppressed }), now, eventId)
  return {
    answer: false,
    changes: [
      attemptTo({ phase: "ended", outcome: "suppressed", durationMillis: Math.max(0, now - attempt.startedAt) }),
      ...changes
    ]
  }
}
