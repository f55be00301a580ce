/**
 * How a hand-off ended, and what this means for its attempt and its delivery.
 * Source: decisions 0006 and 0022.
 */
import type { OnAmbiguous } from "../../domain/access/Project.ts"
import type { SuppressionReason } from "../../domain/contact/Suppression.ts"
import type { Attempt, AttemptOutcome, Delivery, DeliveryState } from "../../domain/delivery/Delivery.ts"
import type { Trigger } from "../../domain/delivery/DeliveryTable.ts"
import type { RelaySetting } from "../../domain/delivery/RelaySetting.ts"
import type { RetryPolicy } from "../../domain/delivery/RetrySchedule.ts"
import { lifetimeEnd, relayFaultWaitMillis, retryWaitMillis } from "../../domain/delivery/RetrySchedule.ts"
import type { SmtpReply } from "../../domain/delivery/SmtpReply.ts"
import { classifyRefusal, defersRecipient, shownReply } from "../../domain/delivery/SmtpReply.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { jitterOf } from "../../domain/value/Jitter.ts"
import { secondMillis } from "../../domain/value/Instant.ts"

/** There is no answer of the relay. The optional fields have the meaning that they have in `TransportUnavailable`. */
interface NoReply {
  readonly _tag: "NoReply"
  readonly why: string
  readonly certainlyNotAccepted?: boolean
  readonly relayFault?: boolean
  readonly wrongSetting?: RelaySetting
}

/** How a hand-off ended. */
export type HandOffResult =
  | { readonly _tag: "Accepted"; readonly reply: SmtpReply }
  | { readonly _tag: "Delivered"; readonly reply: SmtpReply }
  /** `reachedRelay: false`: the transport itself refused, and the relay has not seen the envelope. */
  | { readonly _tag: "Refused"; readonly reply: SmtpReply; readonly reachedRelay?: boolean }
  /** The connection was lost, or the deadline expired. */
  | NoReply
  /** Mailkeep stopped the hand-off because of a shutdown. */
  | { readonly _tag: "ShutDown" }
  /** The message was not given to the transport, because a value of it is not allowed in a header field. */
  | { readonly _tag: "NotSendable"; readonly why: string }
  /** The transport was not allowed to send the end of data, and did not send it. */
  | { readonly _tag: "Revoked" }
  /** The lease of the worker that claimed the delivery lapsed. */
  | { readonly _tag: "WorkerDied" }

/** The facts about an attempt whose claim holds. */
export interface AttemptEndFacts {
  readonly now: Instant
  readonly policy: RetryPolicy
  readonly onAmbiguous: OnAmbiguous
  /** The relay ignores a second hand-off of the same delivery, so that a retry after an ambiguous attempt sends no duplicate. */
  readonly idempotentHandOff: boolean
  /** No attempt begins at or after this instant, which the send asked for; `null` means the default lifetime. */
  readonly expiresAt: Instant | null
  /** In status `sending`. Its field `reachedRelay` includes this attempt. */
  readonly delivery: Delivery
  /** In phase `started` or `finalizing`. */
  readonly attempt: Attempt
}

/** The trigger of the delivery's transition, the outcome of the attempt, and the fields that the transition sets. */
export interface AttemptEnd {
  readonly trigger: Trigger
  readonly outcome: AttemptOutcome
  readonly patch: Partial<DeliveryState>
  /** Why the recipient is suppressed: the mailbox does not exist, or the recipient was refused temporarily until the lifetime ended. */
  readonly suppress?: Extract<SuppressionReason, "hard_bounce" | "temporary_failure">
}

/** The wait after a revoked hand-off. Its cause, such as an unreachable store, can last several seconds. */
const revokedWaitMillis = 5 * secondMillis

const workerDiedMessage = "The worker died before the hand-off ended."
const workerShutDownMessage = "The worker shut down during the hand-off."

/** Whether the relay answered the envelope or a later command, so that the relay knows the recipient. */
const hasReadEnvelope = ({ stage }: SmtpReply): boolean =>
  stage === "mail" || stage === "rcpt" || stage === "data" || stage === "endOfData"

type Refused = Extract<HandOffResult, { readonly _tag: "Refused" }>

/** Whether the relay had seen the envelope when the message was refused. */
export const refusedAfterEnvelope = ({ reply, reachedRelay = hasReadEnvelope(reply) }: Refused): boolean => reachedRelay

/**
 * Returns the trigger for the end of a delivery that no reply has decided. After an ambiguous attempt the relay may have the message, so the
 * delivery is uncertain, and a later report can still decide it.
 */
export const endWithoutAnswer = <T extends Trigger>(
  { ambiguousAttempts }: Delivery,
  trigger: T
): T | "AmbiguousFailure" => (ambiguousAttempts > 0 ? "AmbiguousFailure" : trigger)

const queuedAgain = (
  trigger: Trigger,
  outcome: AttemptOutcome,
  dueAt: Instant,
  patch: Partial<DeliveryState> = {}
): AttemptEnd => ({ trigger, outcome, patch: { ...patch, dueAt } })

interface Deferral {
  readonly outcome: AttemptOutcome
  readonly statusMessage: string
  /** The relay has a problem, not the delivery: the wait is that of the relay, and no deferral is counted. */
  readonly relayFault: boolean
  /** The refusal is about the recipient, so that it counts against the address when the lifetime ends. */
  readonly aboutRecipient: boolean
}

/**
 * Returns the delivery to the queue, or ends it if the next attempt would be after its lifetime. The address is suppressed only at the end of
 * the default lifetime. `expiresAt` says how long the content is of use, and nothing about the address. A first refusal does not suppress the
 * address either, because it can be greylisting.
 */
const deferred = (
  { now, policy, expiresAt, delivery }: AttemptEndFacts,
  { outcome, statusMessage, relayFault, aboutRecipient }: Deferral
): AttemptEnd => {
  const queuedAt = delivery.queuedAt ?? delivery.createdAt
  const deferrals = delivery.deferrals + (relayFault ? 0 : 1)
  const jitter = jitterOf(delivery.id, delivery.attemptCount)
  const wait = relayFault
    ? relayFaultWaitMillis(now - queuedAt, jitter)
    : retryWaitMillis(deferrals, now - queuedAt, jitter)
  const patch = { deferrals, statusMessage }
  if (now + wait < lifetimeEnd(policy, queuedAt, expiresAt))
    return queuedAgain("TransportDeferred", outcome, now + wait, patch)
  const trigger = endWithoutAnswer(delivery, delivery.reachedRelay ? "DeferredTooLong" : "UnreachableTooLong")
  const suppresses = aboutRecipient && deferrals > 1 && now + wait >= lifetimeEnd(policy, queuedAt, null)
  return {
    trigger,
    outcome,
    patch: trigger === "DeferredTooLong" ? { ...patch, bounceType: "soft" } : patch,
    ...(suppresses ? { suppress: "temporary_failure" } : {})
  }
}

const refused = ({ reply }: Refused, facts: AttemptEndFacts): AttemptEnd => {
  const { trigger, suppress, relayFault } = classifyRefusal(reply)
  const statusMessage = shownReply(reply)
  if (trigger === "TransportDeferred") {
    const aboutRecipient = defersRecipient(reply)
    return deferred(facts, { outcome: "deferred", statusMessage, relayFault, aboutRecipient })
  }
  const isBounce = trigger === "MailboxUnknown" || trigger === "RecipientBlocked"
  return {
    trigger,
    outcome: "rejected",
    ...(suppress ? { suppress: "hard_bounce" } : {}),
    patch: { statusMessage, ...(isBounce ? { bounceType: "hard" } : {}) }
  }
}

const unanswered = ({ why, relayFault = true }: NoReply, facts: AttemptEndFacts): AttemptEnd =>
  deferred(facts, {
    outcome: "no_reply",
    statusMessage: why,
    relayFault,
    aboutRecipient: false
  })

/** The policy `onAmbiguous` decides between a retry and the end of the delivery. */
const ambiguous = (statusMessage: string, { now, policy, onAmbiguous, delivery }: AttemptEndFacts): AttemptEnd => {
  const count = delivery.ambiguousAttempts + 1
  const patch = { ambiguousAttempts: count, statusMessage }
  return onAmbiguous === "retry" && count <= policy.ambiguousRetriesMax
    ? queuedAgain("AmbiguousRetry", "ambiguous", now + policy.ambiguousWaitMillis, patch)
    : { trigger: "AmbiguousFailure", outcome: "ambiguous", patch }
}

/** A delivery whose workers died too often is not retried. */
const workerDied = (facts: AttemptEndFacts): AttemptEnd => {
  const workerDeaths = facts.delivery.workerDeaths + 1
  const patch = { workerDeaths, statusMessage: workerDiedMessage }
  return workerDeaths >= facts.policy.workerDeathsMax
    ? { trigger: endWithoutAnswer(facts.delivery, "WorkerDiedTooOften"), outcome: "no_reply", patch }
    : queuedAgain("WorkerDied", "no_reply", facts.now, patch)
}

const workerDiedInDoubt = (facts: AttemptEndFacts): AttemptEnd => {
  const workerDeaths = facts.delivery.workerDeaths + 1
  const onAmbiguous = workerDeaths >= facts.policy.workerDeathsMax ? "fail" : facts.onAmbiguous
  const end = ambiguous(workerDiedMessage, { ...facts, onAmbiguous })
  return { ...end, patch: { ...end.patch, workerDeaths } }
}

const stopped = (dueAt: Instant): AttemptEnd => queuedAgain("HandOffStopped", "stopped", dueAt)

/** How an attempt ends when it is certain whether the relay has the message. */
const certainEnd = (result: HandOffResult, facts: AttemptEndFacts): AttemptEnd => {
  switch (result._tag) {
    case "Accepted":
      return { trigger: "TransportAccepted", outcome: "accepted", patch: { statusMessage: shownReply(result.reply) } }
    case "Delivered":
      return { trigger: "TransportDelivered", outcome: "delivered", patch: { statusMessage: shownReply(result.reply) } }
    case "Refused":
      return refused(result, facts)
    case "NotSendable":
      return { trigger: "MessageNotSendable", outcome: "rejected", patch: { statusMessage: result.why } }
    case "Revoked":
      return stopped(facts.now + revokedWaitMillis)
    case "ShutDown":
      return stopped(facts.now)
    case "NoReply":
      return unanswered(result, facts)
    case "WorkerDied":
      return workerDied(facts)
  }
}

type DoubtfulResult = Extract<HandOffResult, { readonly _tag: "ShutDown" | "NoReply" | "WorkerDied" }>

/** How a finalizing attempt ends when the relay may have the message, and does not ignore a second hand-off (`idempotentHandOff`). */
const doubtfulEnd = (result: DoubtfulResult, facts: AttemptEndFacts): AttemptEnd => {
  switch (result._tag) {
    case "ShutDown":
      return ambiguous(workerShutDownMessage, facts)
    case "NoReply":
      return ambiguous(result.why, facts)
    case "WorkerDied":
      return workerDiedInDoubt(facts)
  }
}

/** Whether the result leaves open if the relay has the message of a finalizing attempt. */
const leavesDoubt = (result: HandOffResult): result is DoubtfulResult =>
  result._tag === "ShutDown" ||
  result._tag === "WorkerDied" ||
  (result._tag === "NoReply" && result.certainlyNotAccepted !== true)

/** Returns how an attempt ends by the result of its hand-off. */
export const attemptEndOf = (result: HandOffResult, facts: AttemptEndFacts): AttemptEnd => {
  const { attempt, delivery, idempotentHandOff } = facts
  if (attempt.phase !== "finalizing" || !leavesDoubt(result)) return certainEnd(result, facts)
  if (!idempotentHandOff) return doubtfulEnd(result, facts)
  // A second hand-off is not ambiguous, because the relay drops it. But when none follows, the end of the delivery is uncertain.
  const ambiguousAttempts = delivery.ambiguousAttempts + 1
  const end = certainEnd(result, { ...facts, delivery: { ...delivery, ambiguousAttempts } })
  return { ...end, patch: { ...end.patch, ambiguousAttempts } }
}
