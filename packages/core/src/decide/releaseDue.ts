/**
 * Releases a scheduled delivery when it is due. The delivery is queued and charged, or ends without being sent.
 * Source: interface, Delivery status; decision 0004.
 */
import type { ApiKey } from "../domain/ApiKey.ts"
import type { Delivery } from "../domain/Delivery.ts"
import type { EventId } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import type { Message } from "../domain/Message.ts"
import type { Plan } from "../domain/Plan.ts"
import { fits } from "../domain/Plan.ts"
import type { SenderDomain } from "../domain/SenderDomain.ts"
import type { Suppression } from "../domain/Suppression.ts"
import { suppressedFor } from "../domain/Suppression.ts"
import type { Decision } from "./Decision.ts"
import { expectDomain, expectKey } from "./expectation.ts"
import type { Transition } from "./transition.ts"
import { isNotYetDue, applyTransition, transitionChanges, spendCounters } from "./transition.ts"

export interface ReleaseFacts {
  readonly now: Instant
  readonly eventId: EventId
  readonly plan: Plan
  /** Claimed, in status `scheduled`. */
  readonly delivery: Delivery
  readonly message: Message
  /** The API key that sent the message; `null` for the embedding product. */
  readonly key: ApiKey | null
  readonly domain: SenderDomain | null
  readonly suppression: Suppression | null
  readonly allowanceUsed: number
}

const transitionOf = ({ now, plan, delivery, key, domain, suppression, allowanceUsed }: ReleaseFacts): Transition => {
  if (isNotYetDue(delivery, now)) return applyTransition(delivery, "NotYetDue", now)
  const suppressed = suppressedFor(suppression, now)
  if (suppressed !== null) return applyTransition(delivery, "DueSuppressed", now, { reason: suppressed })
  if (key !== null && key.revokedAt !== null)
    return applyTransition(delivery, "DueKeyRevoked", now, {
      statusMessage: "The API key was revoked before the scheduled time."
    })
  if (domain?.status !== "verified")
    return applyTransition(delivery, "DueDomainUnverified", now, {
      statusMessage: "The sender domain is no longer verified."
    })
  if (!fits(plan.sendingAllowance, allowanceUsed, 1))
    return applyTransition(delivery, "DueOverAllowance", now, {
      statusMessage: "The sending allowance was used up at the scheduled time."
    })
  return applyTransition(delivery, "DueReached", now, { dueAt: now, queuedAt: now })
}

/** Releases a due delivery. The answer is the delivery after its transition. */
export const releaseDue = (facts: ReleaseFacts): Decision<Delivery> => {
  const { now, eventId, plan, delivery, message, key, domain } = facts
  const transition = transitionOf(facts)
  const guards = [...expectKey(key), expectDomain(delivery.projectId, message.domain, domain)]
  return {
    answer: transition.after,
    changes: [
      ...(transition.row.on === "DueReached" ? guards : []),
      ...transitionChanges(transition, now, eventId),
      ...spendCounters(delivery.projectId, transition.spends, plan)
    ]
  }
}
