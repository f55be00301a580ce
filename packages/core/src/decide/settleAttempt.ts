/**
 * Settles an attempt: what the relay said, or what its silence means in the phase it was in. Source: decisions 0006 and 0022.
 */
import type { Change } from "../domain/Change.ts"
import type { Attempt, AttemptOutcome, AttemptPhase, Delivery, DeliveryState } from "../domain/Delivery.ts"
import type { Trigger } from "../domain/DeliveryTable.ts"
import type { EventId } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import { secondMillis } from "../domain/Instant.ts"
import { unlimited } from "../domain/Plan.ts"
import type { OnAmbiguous } from "../domain/Project.ts"
import type { RetryPolicy } from "../domain/RetrySchedule.ts"
import { destinationWaitMillis, jitterOf, lifetimeEnd, retryWaitMillis } from "../domain/RetrySchedule.ts"
import type { SmtpReply } from "../domain/SmtpReply.ts"
import { classifyRefusal, shownReply } from "../domain/SmtpReply.ts"
import type { SuppressedAddress, Suppression } from "../domain/Suppression.ts"
import { withReason } from "../domain/Suppression.ts"
import type { Decision } from "./Decision.ts"
import { move, movementChanges, spendCounters } from "./movement.ts"

/** How a hand-off ended. */
export type Ending =
  | { readonly _tag: "Accepted" | "Delivered" | "Refused"; readonly reply: SmtpReply }
  /** The connection was lost, or the deadline passed. */
  | { readonly _tag: "Lost"; readonly why: string }
  /** We stopped it ourselves, to shut down. */
  | { readonly _tag: "Released" }
  /** The message was not given to the transport, because a part of it must not become a header field. */
  | { readonly _tag: "NotSendable"; readonly why: string }
  /** The transport was told not to send the final dot, and did not. */
  | { readonly _tag: "Withheld" }
  /** The lease of the worker that had it lapsed. */
  | { readonly _tag: "WorkerDied" }

export interface SettleFacts {
  readonly now: Instant
  readonly eventId: EventId
  readonly policy: RetryPolicy
  readonly onAmbiguous: OnAmbiguous
  /** The relay drops a second hand-off of one message, so that silence after the dot is harmless. */
  readonly idempotentHandoff: boolean
  readonly expiresAt: Instant | null
  /** In status `sending`. */
  readonly delivery: Delivery
  /** The last attempt, in phase `started` or `dot`. */
  readonly attempt: Attempt
  /** The recipient among the suppressions. */
  readonly place: SuppressedAddress
  readonly suppression: Suppression | null
}

/** What kept the dot back, such as a store out of reach, may take a moment to pass. */
const withheldWaitMillis = 5 * secondMillis

interface Settlement {
  readonly on: Trigger
  readonly outcome: AttemptOutcome
  readonly patch: Partial<DeliveryState>
  readonly suppress?: boolean
}

/** The envelope was answered, so the relay has seen the delivery. */
const sawEnvelope = ({ stage }: SmtpReply): boolean =>
  stage === "mail" || stage === "rcpt" || stage === "data" || stage === "dot"

const queuedAgain = (
  on: Trigger,
  outcome: AttemptOutcome,
  dueAt: Instant,
  patch: Partial<DeliveryState> = {}
): Settlement => ({
  on,
  outcome,
  patch: { ...patch, dueAt }
})

/** Back to the queue, or given up when its next turn would come after its lifetime. */
const deferred = (
  { now, policy, expiresAt, delivery }: SettleFacts,
  outcome: AttemptOutcome,
  words: string,
  seen: boolean,
  destination: boolean
): Settlement => {
  const queuedAt = delivery.queuedAt ?? delivery.createdAt
  const deferrals = delivery.deferrals + (destination ? 0 : 1)
  const jitter = jitterOf(delivery.id, delivery.attempts)
  const wait = destination
    ? destinationWaitMillis(now - queuedAt, jitter)
    : retryWaitMillis(deferrals, now - queuedAt, jitter)
  const patch = { deferrals, statusMessage: words }
  if (now + wait < lifetimeEnd(policy, queuedAt, expiresAt))
    return queuedAgain("TransportDeferred", outcome, now + wait, patch)
  return seen
    ? { on: "DeferredTooLong", outcome, patch: { ...patch, bounceType: "soft" } }
    : { on: "RelayUnreachable", outcome, patch }
}

const refused = (facts: SettleFacts, reply: SmtpReply): Settlement => {
  const { on, suppress, destination } = classifyRefusal(reply)
  const words = shownReply(reply)
  if (on === "TransportDeferred")
    return deferred(facts, "deferred", words, facts.delivery.reachedRelay || sawEnvelope(reply), destination)
  const bounce = on === "RecipientRejected" || on === "RecipientRefused"
  return {
    on,
    outcome: "rejected",
    suppress,
    patch: { statusMessage: words, ...(bounce ? { bounceType: "hard" } : {}) }
  }
}

/** The final dot may have gone and no answer came: sent again later, or given up, as the policy says. */
const ambiguous = ({ now, policy, onAmbiguous, delivery }: SettleFacts, words: string): Settlement => {
  const count = delivery.ambiguous + 1
  const patch = { ambiguous: count, statusMessage: words }
  return onAmbiguous === "retry" && count <= policy.ambiguousRetriesMax
    ? queuedAgain("OutcomeLost", "ambiguous", now + policy.ambiguousWaitMillis, patch)
    : { on: "OutcomeGivenUp", outcome: "ambiguous", patch }
}

const workerDied = (facts: SettleFacts, phase: AttemptPhase): Settlement => {
  const crashes = facts.delivery.crashes + 1
  const words = "The worker ended before the hand-off did."
  const parked = crashes >= facts.policy.crashesMax
  if (phase === "dot" && !facts.idempotentHandoff) {
    const settlement = ambiguous(parked ? { ...facts, onAmbiguous: "fail" } : facts, words)
    return { ...settlement, patch: { ...settlement.patch, crashes } }
  }
  if (parked) return { on: "WorkerDiedTooOften", outcome: "lost", patch: { crashes, statusMessage: words } }
  return queuedAgain("WorkerDied", "lost", facts.now, { crashes, statusMessage: words })
}

const settlementOf = (ending: Ending, facts: SettleFacts): Settlement => {
  const { phase } = facts.attempt
  switch (ending._tag) {
    case "Accepted":
      return { on: "TransportAccepted", outcome: "accepted", patch: { statusMessage: shownReply(ending.reply) } }
    case "Delivered":
      return { on: "TransportDelivered", outcome: "delivered", patch: { statusMessage: shownReply(ending.reply) } }
    case "Refused":
      return refused(facts, ending.reply)
    case "WorkerDied":
      return workerDied(facts, phase)
    case "NotSendable":
      return { on: "MessageNotSendable", outcome: "rejected", patch: { statusMessage: ending.why } }
    case "Withheld":
      return queuedAgain("ReleasedBeforeDot", "released", facts.now + withheldWaitMillis)
    case "Released":
    case "Lost": {
      const words = ending._tag === "Lost" ? ending.why : "The worker shut down during the hand-off."
      if (phase === "dot" && !facts.idempotentHandoff) return ambiguous(facts, words)
      return ending._tag === "Released"
        ? queuedAgain("ReleasedBeforeDot", "released", facts.now)
        : deferred(facts, "lost", words, facts.delivery.reachedRelay, true)
    }
  }
}

/** Answers with the delivery as it stands afterwards. */
export const settleAttempt = (ending: Ending, facts: SettleFacts): Decision<Delivery> => {
  const { now, eventId, attempt, suppression } = facts
  const reply = "reply" in ending ? ending.reply : null
  const reachedRelay =
    facts.delivery.reachedRelay ||
    (attempt.phase === "dot" && ending._tag !== "Withheld" && ending._tag !== "NotSendable") ||
    (reply !== null && sawEnvelope(reply))
  const delivery = { ...facts.delivery, reachedRelay }
  const { on, outcome, patch, suppress } = settlementOf(ending, facts)
  const movement = move(delivery, on, now, patch)
  const noted = suppress === true ? withReason(facts.place, suppression, "hard_bounce", now) : undefined
  const closed: Change = {
    _tag: "MoveAttempt",
    deliveryId: attempt.deliveryId,
    number: attempt.number,
    token: delivery.token,
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
    answer: movement.after,
    changes: [
      closed,
      ...movementChanges(movement, now, eventId, reply),
      ...spendCounters(delivery.projectId, movement.spends, unlimited),
      ...(noted === undefined
        ? []
        : [{ _tag: "PutSuppression", suppression: noted, replaces: suppression?.revision ?? null } as const])
    ]
  }
}

export interface LateOutcomeFacts {
  readonly now: Instant
  readonly eventId: EventId
  /** As it is now, after another worker settled the attempt as ambiguous. */
  readonly delivery: Delivery
  /** The attempt whose outcome comes late. */
  readonly attempt: Attempt | undefined
}

/**
 * Settles an ambiguous attempt by the relay's answer, which its own worker brings after all: the delivery is not sent again.
 * `null` when nothing is left to settle: the relay did not take the message, or a later attempt has begun.
 */
export const settleLate = (
  ending: Ending,
  { now, eventId, delivery, attempt }: LateOutcomeFacts
): Decision<Delivery> | null => {
  if (ending._tag !== "Accepted" && ending._tag !== "Delivered") return null
  if (attempt?.outcome !== "ambiguous" || attempt.number !== delivery.attempts) return null
  if (delivery.status !== "queued" && !(delivery.status === "failed" && delivery.reason === "delivery_uncertain"))
    return null
  const on = ending._tag === "Delivered" ? "DeliveredReported" : "AcceptanceReported"
  const movement = move(delivery, on, now, { statusMessage: shownReply(ending.reply) })
  return { answer: movement.after, changes: movementChanges(movement, now, eventId, ending.reply) }
}
