/**
 * Finishes an attempt by the result of its hand-off. Source: decisions 0006, 0022 and 0035.
 */
import type { KeyedAddress, SuppressionRecord } from "../../domain/contact/Suppression.ts"
import type { Attempt, Delivery } from "../../domain/delivery/Delivery.ts"
import type { SmtpReply } from "../../domain/delivery/SmtpReply.ts"
import { shownReply } from "../../domain/delivery/SmtpReply.ts"
import type { Change } from "../../domain/store/Change.ts"
import type { EventId } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { suppressAddress } from "../contact/suppression.ts"
import type { Decision } from "../store/Decision.ts"
import type { AttemptEnd, AttemptEndFacts, HandOffResult } from "./attemptEnd.ts"
import { attemptEndOf, hasReadEnvelope } from "./attemptEnd.ts"
import type { HandledStatus } from "./claim.ts"
import { claimLost, holdsClaim } from "./claim.ts"
import { applyTransition, transitionChanges, transitionAndRefunds } from "./transition.ts"

export interface FinishAttemptFacts extends Omit<AttemptEndFacts, "delivery" | "attempt"> {
  readonly eventId: EventId
  /** The delivery as this worker last wrote or claimed it, in status `sending`. */
  readonly claimed: Delivery
  /** The delivery now. */
  readonly delivery: Delivery | null
  /** The last attempt of the delivery, in phase `started` or `finalizing` while the claim holds. */
  readonly attempt: Attempt | null
  /** The recipient's address with its address key. */
  readonly keyedAddress: KeyedAddress
  readonly suppression: SuppressionRecord | null
}

/**
 * Whether the relay may know the delivery: an earlier attempt reached it, this one is finalizing, or it answered the envelope. A transport that
 * was not allowed to send the final bytes, or did not get the message, did not reach the relay.
 */
const reachedRelay = (result: HandOffResult, delivery: Delivery, attempt: Attempt): boolean =>
  delivery.reachedRelay ||
  (attempt.phase === "finalizing" && result._tag !== "Revoked" && result._tag !== "NotSendable") ||
  ("reply" in result && hasReadEnvelope(result.reply))

const endedAttempt = (
  { outcome, patch }: AttemptEnd,
  reply: SmtpReply | null,
  { fencingToken }: Delivery,
  { deliveryId, number, phase, startedAt }: Attempt,
  now: Instant
): Change => ({
  _tag: "MoveAttempt",
  deliveryId,
  number,
  fencingToken,
  from: phase,
  next: {
    phase: "ended",
    outcome,
    smtpCode: reply?.code ?? null,
    enhancedCode: reply?.enhancedCode ?? null,
    statusMessage: reply === null ? (patch.statusMessage ?? null) : shownReply(reply),
    durationMillis: Math.max(0, now - startedAt)
  }
})

/**
 * Records a result that arrives after another worker has finished the attempt as ambiguous, if it says that the relay accepted the message. The
 * delivery is then not sent again. Any other late result changes nothing, and also a result after a later attempt has begun.
 */
const recordLateResult = (
  result: HandOffResult,
  { now, eventId, claimed, delivery, attempt }: FinishAttemptFacts
): Decision<HandledStatus> => {
  if (result._tag !== "Accepted" && result._tag !== "Delivered") return claimLost
  if (delivery === null || attempt?.number !== claimed.attempts) return claimLost
  if (attempt.outcome !== "ambiguous" || attempt.number !== delivery.attempts) return claimLost
  if (delivery.status !== "queued" && !(delivery.status === "failed" && delivery.reason === "delivery_uncertain"))
    return claimLost
  const on = result._tag === "Delivered" ? "DeliveredReported" : "AcceptanceReported"
  const transition = applyTransition(delivery, on, now, { statusMessage: shownReply(result.reply) })
  return { answer: transition.after.status, changes: transitionChanges(transition, now, eventId, result.reply) }
}

/** Finishes the attempt, moves its delivery, and suppresses a recipient that the relay refuses for good. */
export const finishAttempt = (result: HandOffResult, facts: FinishAttemptFacts): Decision<HandledStatus> => {
  const { now, eventId, claimed, delivery, attempt } = facts
  if (!holdsClaim(claimed, delivery) || attempt === null) return recordLateResult(result, facts)
  const reply = "reply" in result ? result.reply : null
  const reached: Delivery = { ...delivery, reachedRelay: reachedRelay(result, delivery, attempt) }
  const end = attemptEndOf(result, { ...facts, delivery, attempt })
  const transition = applyTransition(reached, end.on, now, end.patch)
  return {
    answer: transition.after.status,
    changes: [
      endedAttempt(end, reply, delivery, attempt, now),
      ...transitionAndRefunds(transition, now, eventId, reply),
      ...suppressAddress(facts, end.suppress ?? null)
    ]
  }
}
