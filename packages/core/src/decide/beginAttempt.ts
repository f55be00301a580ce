/**
 * Begins an attempt at a queued delivery, or ends the delivery when it must not be sent; and marks the final dot.
 * Source: decision 0006.
 */
import type { Change } from "../domain/Change.ts"
import type { Attempt, Delivery } from "../domain/Delivery.ts"
import { freshAttempt } from "../domain/Delivery.ts"
import type { EventId } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import type { Message } from "../domain/Message.ts"
import { unlimited } from "../domain/Plan.ts"
import type { Suppression } from "../domain/Suppression.ts"
import { suppressedFor } from "../domain/Suppression.ts"
import type { Decision } from "./Decision.ts"
import { expectSuppression } from "./expectation.ts"
import type { Movement } from "./movement.ts"
import { isNotYetDue, move, movementChanges, spendCounters } from "./movement.ts"

export interface BeginFacts {
  readonly now: Instant
  readonly eventId: EventId
  readonly maxMessageBytes: number | null
  /** Claimed, in status `queued`. */
  readonly delivery: Delivery
  readonly message: Message
  readonly suppression: Suppression | null
}

/** A delivery in status `sending` with the attempt under way. */
export interface Begun {
  readonly delivery: Delivery
  readonly attempt: Attempt
}

/** An upper bound of what the content weighs once encoded: base64 and line ends, and room for the header. */
const encodedOctets = ({ subject, html, text }: Message): number =>
  4096 + Math.ceil([subject, html, text].reduce((sum, part) => sum + (part?.length ?? 0) * 3, 0) * 1.4)

const ended = (movement: Movement, now: Instant, eventId: EventId): Decision<null> => ({
  answer: null,
  changes: [
    ...movementChanges(movement, now, eventId),
    ...spendCounters(movement.before.projectId, movement.spends, unlimited)
  ]
})

/** Answers with what was begun, or `null` when the delivery ended instead, or went back because it is not due. */
export const beginAttempt = (facts: BeginFacts): Decision<Begun | null> => {
  const { now, eventId, delivery, message } = facts
  if (isNotYetDue(delivery, now)) return ended(move(delivery, "NotYetDue", now), now, eventId)
  const suppressed = suppressedFor(facts.suppression, now)
  if (suppressed !== null)
    return ended(move(delivery, "RecipientSuppressed", now, { reason: suppressed }), now, eventId)
  // Only the send's own limit ends a delivery in the queue: what waited because we were down gets its turn.
  if (message.expiresAt !== null && message.expiresAt <= now)
    return ended(
      move(delivery, "SendExpired", now, {
        statusMessage: delivery.statusMessage ?? "The message expired in the queue."
      }),
      now,
      eventId
    )
  if (facts.maxMessageBytes !== null && encodedOctets(message) > facts.maxMessageBytes)
    return ended(
      move(delivery, "MessageTooLarge", now, { statusMessage: "The message is larger than the transport takes." }),
      now,
      eventId
    )
  const number = delivery.attempts + 1
  const attempt: Attempt = { ...freshAttempt, deliveryId: delivery.id, number, startedAt: now }
  const movement = move(delivery, "Claimed", now, {
    attempts: number,
    dueAt: now,
    statusMessage: delivery.statusMessage
  })
  return {
    answer: { delivery: movement.after, attempt },
    changes: [...movementChanges(movement, now, eventId), { _tag: "InsertAttempt", attempt }]
  }
}

export interface DotFacts extends Begun {
  readonly now: Instant
  readonly eventId: EventId
  /** The recipient's key among the suppressions. */
  readonly addressKey: string
  readonly suppression: Suppression | null
  /** Until when the worker's lease is renewed. */
  readonly leaseUntil: Instant
}

/**
 * Answers `true` when the final dot may go, with the suppression's state as a guard: no dot goes to an address whose
 * suppression is committed. The worker's lease is renewed in the same commit: the token shows that no other worker has the delivery, and the
 * renewed lease keeps others from it. Answers `false` when the delivery is suppressed instead.
 */
export const markDot = (facts: DotFacts): Decision<boolean> => {
  const { now, eventId, delivery, attempt, addressKey, suppression, leaseUntil } = facts
  const attemptTo = (next: Partial<Attempt>): Change => {
    const { deliveryId, number, startedAt: _, ...state } = attempt
    return {
      _tag: "MoveAttempt",
      deliveryId,
      number,
      token: delivery.token,
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
        attemptTo({ phase: "dot" }),
        ...(delivery.worker === null ? [] : [{ _tag: "RenewLease", worker: delivery.worker, leaseUntil } as const])
      ]
    }
  const { changes } = ended(move(delivery, "RecipientSuppressed", now, { reason: suppressed }), now, eventId)
  return {
    answer: false,
    changes: [
      attemptTo({ phase: "ended", outcome: "suppressed", durationMillis: Math.max(0, now - attempt.startedAt) }),
      ...changes
    ]
  }
}
