/**
 * Finishes an attempt by the result of its hand-off. Source: decisions 0006, 0022 and 0035.
 */
import type { KeyedAddress, SuppressionRecord } from "../../domain/contact/Suppression.ts"
import type { Attempt, Delivery } from "../../domain/delivery/Delivery.ts"
import { shownReply } from "../../domain/delivery/SmtpReply.ts"
import type { EventId } from "../../domain/value/Id.ts"
import { suppressAddress } from "../contact/suppression.ts"
import type { Decision } from "../store/Decision.ts"
import type { AttemptEndFacts, HandOffResult } from "./handOffResult.ts"
import { attemptEndOf, refusedAfterEnvelope } from "./handOffResult.ts"
import type { HandledStatus } from "./claim.ts"
import { claimLost, holdsClaim } from "./claim.ts"
import { endedAttemptChange } from "./attemptChange.ts"
import { applyTransition, transitionChanges, transitionAndRefunds } from "./transition.ts"

export interface FinishAttemptFacts extends Omit<AttemptEndFacts, "delivery" | "attempt"> {
  readonly eventId: EventId
  /** The transport signals the end of data, so that a finalizing attempt shows that the relay has answered the envelope. */
  readonly signalsFinalize: boolean
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
 * Whether the relay may know the delivery by this attempt. Without an answer, only the phase says so. A transport that cannot signal the end of
 * data is finalizing from the beginning, so that its phase does not show that the relay was reached.
 */
const hasReachedRelay = (result: HandOffResult, { phase }: Attempt, signalsFinalize: boolean): boolean => {
  switch (result._tag) {
    case "Accepted":
    case "Delivered":
      return true
    case "Refused":
      return refusedAfterEnvelope(result)
    case "Revoked":
    case "NotSendable":
      return false
    case "NoReply":
      return phase === "finalizing" && (signalsFinalize || result.certainlyNotAccepted !== true)
    case "ShutDown":
    case "WorkerDied":
      return phase === "finalizing"
  }
}

/**
 * Records a result that arrives after another worker has finished the attempt as ambiguous, if it says that the relay accepted the message. The
 * delivery is then not sent again. Any other late result changes nothing, and also a result after a later attempt has begun.
 */
const recordLateResult = (
  result: HandOffResult,
  { now, eventId, claimed, delivery, attempt }: FinishAttemptFacts
): Decision<HandledStatus> => {
  if (result._tag !== "Accepted" && result._tag !== "Delivered") return claimLost
  if (delivery === null || attempt?.number !== claimed.attemptCount) return claimLost
  if (attempt.outcome !== "ambiguous" || attempt.number !== delivery.attemptCount) return claimLost
  if (delivery.status !== "queued" && !(delivery.status === "failed" && delivery.reason === "delivery_uncertain"))
    return claimLost
  const trigger = result._tag === "Delivered" ? "LateDelivery" : "LateAcceptance"
  const transition = applyTransition(delivery, trigger, now, { statusMessage: shownReply(result.reply) })
  return { answer: transition.after.status, changes: transitionChanges(transition, now, eventId, result.reply) }
}

/**
 * Finishes the attempt and makes the transition of its delivery. Suppresses a recipient whose mailbox does not exist, or that the relay has refused
 * temporarily until the lifetime of the delivery ended.
 */
export const finishAttempt = (result: HandOffResult, facts: FinishAttemptFacts): Decision<HandledStatus> => {
  const { now, eventId, claimed, delivery, attempt } = facts
  if (!holdsClaim(claimed, delivery) || attempt === null) return recordLateResult(result, facts)
  const reply = "reply" in result ? result.reply : null
  const reachedRelay = delivery.reachedRelay || hasReachedRelay(result, attempt, facts.signalsFinalize)
  const deliveryAfterResult: Delivery = { ...delivery, reachedRelay }
  const end = attemptEndOf(result, { ...facts, delivery: deliveryAfterResult, attempt })
  const transition = applyTransition(deliveryAfterResult, end.trigger, now, end.patch)
  return {
    answer: transition.after.status,
    changes: [
      endedAttemptChange(
        attempt,
        delivery,
        { outcome: end.outcome, reply, statusMessage: end.patch.statusMessage ?? null },
        now
      ),
      ...transitionAndRefunds(transition, now, eventId, reply),
      ...suppressAddress(facts, end.suppress ?? null)
    ]
  }
}
