/**
 * Begins an attempt for a queued delivery, or ends the delivery if it must not be sent. Source: decision 0006.
 */
import type { Attempt, Delivery } from "../../domain/delivery/Delivery.ts"
import { freshAttempt } from "../../domain/delivery/Delivery.ts"
import type { EventId } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { Message } from "../../domain/message/Message.ts"
import type { SuppressionRecord } from "../../domain/contact/Suppression.ts"
import { suppressedFor } from "../../domain/contact/Suppression.ts"
import type { Change } from "../../domain/store/Change.ts"
import { isDue } from "../../domain/store/Claim.ts"
import type { Decision } from "../store/Decision.ts"
import { unchanged } from "../store/Decision.ts"
import { expectSuppression } from "../store/expectation.ts"
import { leaseRenewal } from "../store/lease.ts"
import { endWithoutAnswer } from "./handOffResult.ts"
import type { HandledStatus } from "./claim.ts"
import { claimLost, hasBegunAttempt, holdsClaim } from "./claim.ts"
import type { Transition } from "./transition.ts"
import { applyTransition, transitionAndRefunds, transitionChanges } from "./transition.ts"

export interface BeginAttemptFacts {
  readonly now: Instant
  readonly eventId: EventId
  /** The limit of the transport, in bytes; `null` when no limit is known. */
  readonly maxMessageBytes: number | null
  /** The delivery as the worker claimed it, in status `queued`. */
  readonly claimed: Delivery
  /** The delivery now. */
  readonly delivery: Delivery | null
  readonly message: Message
  readonly suppression: SuppressionRecord | null
  /** The last attempt, if this worker has already begun one by this claim (`hasBegunAttempt`). */
  readonly begunAttempt: Attempt | null
  /**
   * For a transport that cannot signal the end of data: the attempt begins in the phase `finalizing`, with the guards and the lease of
   * `markFinalizing`. `null` for another transport.
   */
  readonly finalizing: { readonly addressKey: string; readonly leaseUntil: Instant | null } | null
}

/** A delivery in status `sending` with its current attempt and its message. */
export interface StartedAttempt {
  readonly delivery: Delivery
  readonly attempt: Attempt
  readonly message: Message
  /** The suppression of the recipient when the attempt began. */
  readonly suppression: SuppressionRecord | null
}

/**
 * Returns a lower bound of the size as it is sent: a character takes at least one byte, and no encoding makes a file smaller. Only the transport
 * knows the size itself.
 */
const messageBytesMin = ({ subject, html, text, attachments }: Message): number =>
  [subject, html, text].reduce((sum, part) => sum + (part?.length ?? 0), 0) +
  attachments.reduce((sum, { size }) => sum + size, 0)

/** The transition of a delivery that gets no attempt now, or `undefined`. */
const transitionWithoutAttempt = (
  delivery: Delivery,
  { now, message, suppression, maxMessageBytes }: BeginAttemptFacts
): Transition | undefined => {
  // The clock moved backwards after the claim. The delivery returns to its status, unclaimed.
  if (!isDue(delivery, now)) return applyTransition(delivery, "NotYetDue", now)
  const suppressed = suppressedFor(suppression, now)
  if (suppressed !== null) return applyTransition(delivery, "RecipientSuppressed", now, { reason: suppressed })
  // Only `expiresAt` ends a delivery before an attempt. After a downtime, the default lifetime thus still allows one attempt.
  if (message.expiresAt !== null && message.expiresAt <= now)
    return applyTransition(delivery, endWithoutAnswer(delivery, "SendExpired"), now, {
      statusMessage: delivery.statusMessage ?? "The message expired in the queue."
    })
  if (maxMessageBytes !== null && messageBytesMin(message) > maxMessageBytes)
    return applyTransition(delivery, "MessageTooLarge", now, {
      statusMessage: "The message is larger than the transport allows."
    })
  return undefined
}

const finalizingChanges = (
  { now, suppression, finalizing }: BeginAttemptFacts,
  { projectId, worker }: Delivery
): ReadonlyArray<Change> =>
  finalizing === null
    ? []
    : [
        expectSuppression(projectId, finalizing.addressKey, suppression),
        ...leaseRenewal(worker, now, finalizing.leaseUntil)
      ]

/** Begins an attempt. The answer is a status when there is nothing to hand over: the claim is lost, the delivery ended, or it is not due. */
export const beginAttempt = (facts: BeginAttemptFacts): Decision<StartedAttempt | HandledStatus> => {
  const { now, eventId, claimed, delivery, message, suppression, begunAttempt, finalizing } = facts
  if (begunAttempt !== null && hasBegunAttempt(claimed, delivery))
    return unchanged({ delivery, attempt: begunAttempt, message, suppression })
  if (!holdsClaim(claimed, delivery)) return claimLost
  const ended = transitionWithoutAttempt(delivery, facts)
  if (ended !== undefined) return { answer: ended.after.status, changes: transitionAndRefunds(ended, now, eventId) }
  const number = delivery.attemptCount + 1
  const phase = finalizing === null ? "started" : "finalizing"
  const attempt: Attempt = {
    ...freshAttempt,
    projectId: delivery.projectId,
    deliveryId: delivery.id,
    number,
    startedAt: now,
    phase
  }
  const transition = applyTransition(delivery, "AttemptBegan", now, {
    attemptCount: number,
    dueAt: now,
    statusMessage: delivery.statusMessage
  })
  return {
    answer: { delivery: transition.after, attempt, message, suppression },
    changes: [
      ...transitionChanges(transition, now, eventId),
      { _tag: "InsertAttempt", attempt },
      ...finalizingChanges(facts, delivery)
    ]
  }
}
