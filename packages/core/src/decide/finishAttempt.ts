/**
 * Finishes an attempt from the relay's reply, or from the phase of the attempt if there was no reply. Source: decisions 0006 and 0022.
 */
import type { Change } from "../domain/Change.ts"
import type { Attempt, AttemptOutcome, AttemptPhase, Delivery, DeliveryState } from "../domain/Delivery.ts"
import type { Trigger } from "../domain/DeliveryTable.ts"
import type { EventId } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import { secondMillis } from "../domain/Instant.ts"
import { noLimits } from "../domain/Plan.ts"
import type { OnAmbiguous } from "../domain/Project.ts"
import type { RetryPolicy } from "../domain/RetrySchedule.ts"
import { destinationWaitMillis, jitterOf, lifetimeEnd, retryWaitMillis } from "../domain/RetrySchedule.ts"
import type { SmtpReply } from "../domain/SmtpReply.ts"
import { classifyRefusal, shownReply } from "../domain/SmtpReply.ts"
import type { KeyedAddress, Suppression } from "../domain/Suppression.ts"
import { withReason } from "../domain/Suppression.ts"
import type { Decision } from "./Decision.ts"
import { applyTransition, transitionChanges, spendCounters } from "./transition.ts"

/** How a hand-off ended. */
export type HandOffResult =
  | { readonly _tag: "Accepted" | "Delivered" | "Refused"; readonly reply: SmtpReply }
  /** The connection was lost, or the deadline expired. */
  | { readonly _tag: "Lost"; readonly why: string }
  /** Mailkeep stopped the hand-off because of a shutdown. */
  | { readonly _tag: "ShutDown" }
  /** The message was not given to the transport, because a value of it is not allowed in a header field. */
  | { readonly _tag: "NotSendable"; readonly why: string }
  /** The transport was not allowed to send the final dot, and did not send it. */
  | { readonly _tag: "Revoked" }
  /** The lease of the worker that claimed the delivery lapsed. */
  | { readonly _tag: "WorkerDied" }

export interface FinishAttemptFacts {
  readonly now: Instant
  readonly eventId: EventId
  readonly policy: RetryPolicy
  readonly onAmbiguous: OnAmbiguous
  /** The relay ignores a second hand-off of the same delivery, so that a retry after an ambiguous attempt sends no duplicate. */
  readonly idempotentHandoff: boolean
  readonly expiresAt: Instant | null
  /** In status `sending`. */
  readonly delivery: Delivery
  /** The last attempt, in phase `started` or `finalizing`. */
  readonly attempt: Attempt
  /** The recipient's address with its address key. */
  readonly keyedAddress: KeyedAddress
  readonly suppression: Suppression | null
}

/** The wait after a revoked hand-off. Its cause, such as an unreachable store, can last several seconds. */
const revokedWaitMillis = 5 * secondMillis

interface AttemptEnd {
  readonly on: Trigger
  readonly outcome: AttemptOutcome
  readonly patch: Partial<DeliveryState>
  readonly suppress?: boolean
}

/** Whether the relay answered the envelope, so that it has seen the recipient. */
const sawEnvelope = ({ stage }: SmtpReply): boolean =>
  stage === "mail" || stage === "rcpt" || stage === "data" || stage === "finalizing"

const queuedAgain = (
  on: Trigger,
  outcome: AttemptOutcome,
  dueAt: Instant,
  patch: Partial<DeliveryState> = {}
): AttemptEnd => ({
  on,
  outcome,
  patch: { ...patch, dueAt }
})

/** Returns the delivery to the queue, or ends it if the next attempt would be after its lifetime. */
const deferred = (
  { now, policy, expiresAt, delivery }: FinishAttemptFacts,
  outcome: AttemptOutcome,
  statusMessage: string,
  seen: boolean,
  destination: boolean
): AttemptEnd => {
  const queuedAt = delivery.queuedAt ?? delivery.createdAt
  const deferrals = delivery.deferrals + (destination ? 0 : 1)
  const jitter = jitterOf(delivery.id, delivery.attempts)
  const wait = destination
    ? destinationWaitMillis(now - queuedAt, jitter)
    : retryWaitMillis(deferrals, now - queuedAt, jitter)
  const patch = { deferrals, statusMessage }
  if (now + wait < lifetimeEnd(policy, queuedAt, expiresAt))
    return queuedAgain("TransportDeferred", outcome, now + wait, patch)
  return seen
    ? { on: "DeferredTooLong", outcome, patch: { ...patch, bounceType: "soft" } }
    : { on: "RelayUnreachable", outcome, patch }
}

const refused = (facts: FinishAttemptFacts, reply: SmtpReply): AttemptEnd => {
  const { on, suppress, destination } = classifyRefusal(reply)
  const statusMessage = shownReply(reply)
  if (on === "TransportDeferred")
    return deferred(facts, "deferred", statusMessage, facts.delivery.reachedRelay || sawEnvelope(reply), destination)
  const bounce = on === "RecipientRejected" || on === "RecipientRefused"
  return {
    on,
    outcome: "rejected",
    suppress,
    patch: { statusMessage, ...(bounce ? { bounceType: "hard" } : {}) }
  }
}

/** Ends an attempt without an answer while finalizing. The policy decides between a retry and the end of the delivery. */
const ambiguous = ({ now, policy, onAmbiguous, delivery }: FinishAttemptFacts, statusMessage: string): AttemptEnd => {
  const count = delivery.ambiguous + 1
  const patch = { ambiguous: count, statusMessage }
  return onAmbiguous === "retry" && count <= policy.ambiguousRetriesMax
    ? queuedAgain("OutcomeLost", "ambiguous", now + policy.ambiguousWaitMillis, patch)
    : { on: "OutcomeGivenUp", outcome: "ambiguous", patch }
}

const workerDied = (facts: FinishAttemptFacts, phase: AttemptPhase): AttemptEnd => {
  const crashes = facts.delivery.crashes + 1
  const statusMessage = "The worker stopped before the hand-off ended."
  const tooManyCrashes = crashes >= facts.policy.crashesMax
  if (phase === "finalizing" && !facts.idempotentHandoff) {
    const end = ambiguous(tooManyCrashes ? { ...facts, onAmbiguous: "fail" } : facts, statusMessage)
    return { ...end, patch: { ...end.patch, crashes } }
  }
  if (tooManyCrashes) return { on: "WorkerDiedTooOften", outcome: "lost", patch: { crashes, statusMessage } }
  return queuedAgain("WorkerDied", "lost", facts.now, { crashes, statusMessage })
}

const attemptEndOf = (result: HandOffResult, facts: FinishAttemptFacts): AttemptEnd => {
  const { phase } = facts.attempt
  switch (result._tag) {
    case "Accepted":
      return { on: "TransportAccepted", outcome: "accepted", patch: { statusMessage: shownReply(result.reply) } }
    case "Delivered":
      return { on: "TransportDelivered", outcome: "delivered", patch: { statusMessage: shownReply(result.reply) } }
    case "Refused":
      return refused(facts, result.reply)
    case "WorkerDied":
      return workerDied(facts, phase)
    case "NotSendable":
      return { on: "MessageNotSendable", outcome: "rejected", patch: { statusMessage: result.why } }
    case "Revoked":
      return queuedAgain("ReleasedBeforeFinalizing", "released", facts.now + revokedWaitMillis)
    case "ShutDown":
    case "Lost": {
      const statusMessage = result._tag === "Lost" ? result.why : "The worker shut down during the hand-off."
      if (phase === "finalizing" && !facts.idempotentHandoff) return ambiguous(facts, statusMessage)
      return result._tag === "ShutDown"
        ? queuedAgain("ReleasedBeforeFinalizing", "released", facts.now)
        : deferred(facts, "lost", statusMessage, facts.delivery.reachedRelay, true)
    }
  }
}

/** Finishes an attempt. The answer is the delivery after its transition. */
export const finishAttempt = (result: HandOffResult, facts: FinishAttemptFacts): Decision<Delivery> => {
  const { now, eventId, attempt, suppression } = facts
  const reply = "reply" in result ? result.reply : null
  const reachedRelay =
    facts.delivery.reachedRelay ||
    (attempt.phase === "finalizing" && result._tag !== "Revoked" && result._tag !== "NotSendable") ||
    (reply !== null && sawEnvelope(reply))
  const delivery = { ...facts.delivery, reachedRelay }
  const { on, outcome, patch, suppress } = attemptEndOf(result, facts)
  const transition = applyTransition(delivery, on, now, patch)
  const changedSuppression =
    suppress === true ? withReason(facts.keyedAddress, suppression, "hard_bounce", now) : undefined
  const closed: Change = {
    _tag: "MoveAttempt",
    deliveryId: attempt.deliveryId,
    number: attempt.number,
    fencingToken: delivery.fencingToken,
    from: attempt.phase,
    next: {
      phase: "ended",
      outcome,
      smtpCode: reply?.code ?? null,
      enhancedCode: reply?.enhancedCode ?? null,
      message: reply === null ? (patch.statusMessage ?? null) : shownReply(reply),
      durationMillis: Math.max(0, now - attempt.startedAt)
    }
  }
  return {
    answer: transition.after,
    changes: [
      closed,
      ...transitionChanges(transition, now, eventId, reply),
      ...spendCounters(delivery.projectId, transition.spends, noLimits),
      ...(changedSuppression === undefined
        ? []
        : [
            {
              _tag: "PutSuppression",
              suppression: changedSuppression,
              replaces: suppression?.revision ?? null
            } as const
          ])
    ]
  }
}

export interface LateOutcomeFacts {
  readonly now: Instant
  readonly eventId: EventId
  /** The current delivery, after another worker finished the attempt as ambiguous. */
  readonly delivery: Delivery
  /** The attempt whose result arrives late. */
  readonly attempt: Attempt | undefined
}

/**
 * Applies the late result of an ambiguous attempt if the relay accepted the message. The delivery is then not sent again.
 * Returns `null` if there is nothing to change: the relay did not accept the message, or a later attempt has begun.
 */
export const applyLateReport = (
  result: HandOffResult,
  { now, eventId, delivery, attempt }: LateOutcomeFacts
): Decision<Delivery> | null => {
  if (result._tag !== "Accepted" && result._tag !== "Delivered") return null
  if (attempt?.outcome !== "ambiguous" || attempt.number !== delivery.attempts) return null
  if (delivery.status !== "queued" && !(delivery.status === "failed" && delivery.reason === "delivery_uncertain"))
    return null
  const on = result._tag === "Delivered" ? "DeliveredReported" : "AcceptanceReported"
  const transition = applyTransition(delivery, on, now, { statusMessage: shownReply(result.reply) })
  return { answer: transition.after, changes: transitionChanges(transition, now, eventId, result.reply) }
}
