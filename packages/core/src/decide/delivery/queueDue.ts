/**
 * Queues a scheduled delivery when it is due, and charges it. A delivery that may no longer be sent ends instead.
 * Source: docs/spec/coverage.md S3; decision 0004.
 */
import type { ApiKeyRecord } from "../../domain/access/ApiKey.ts"
import type { Delivery } from "../../domain/delivery/Delivery.ts"
import type { EventId } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { Message } from "../../domain/message/Message.ts"
import type { Plan } from "../../domain/plan/Plan.ts"
import { excessOf } from "../../domain/plan/Plan.ts"
import type { SenderDomainRecord } from "../../domain/domain-name/SenderDomain.ts"
import type { SuppressionRecord } from "../../domain/contact/Suppression.ts"
import { suppressedFor } from "../../domain/contact/Suppression.ts"
import { isDue } from "../../domain/store/Claim.ts"
import type { Decision } from "../store/Decision.ts"
import type { HandledStatus } from "./claim.ts"
import { claimLost, holdsClaim } from "./claim.ts"
import { expectDomain, expectApiKey } from "../store/expectation.ts"
import type { Transition } from "./transition.ts"
import { addToCounters } from "../plan/usageChange.ts"
import { applyTransition, transitionChanges } from "./transition.ts"

export interface QueueDueFacts {
  readonly now: Instant
  readonly eventId: EventId
  readonly plan: Plan
  /** The delivery as the worker claimed it, in status `scheduled`. */
  readonly claimed: Delivery
  /** The delivery now. */
  readonly delivery: Delivery | null
  readonly message: Message
  /** The API key that sent the message; `null` for the embedding product. */
  readonly apiKey: ApiKeyRecord | null
  readonly domain: SenderDomainRecord | null
  readonly suppression: SuppressionRecord | null
  readonly allowanceUsed: number
}

const transitionOf = (
  delivery: Delivery,
  { now, plan, apiKey, domain, suppression, allowanceUsed }: QueueDueFacts
): Transition => {
  // The clock moved backwards after the claim. The delivery returns to its status, unclaimed.
  if (!isDue(delivery, now)) return applyTransition(delivery, "NotYetDue", now)
  const suppressed = suppressedFor(suppression, now)
  if (suppressed !== null) return applyTransition(delivery, "DueSuppressed", now, { reason: suppressed })
  if (apiKey !== null && apiKey.revokedAt !== null)
    return applyTransition(delivery, "DueKeyRevoked", now, {
      statusMessage: "The API key was revoked before the scheduled time."
    })
  if (domain?.status !== "verified")
    return applyTransition(delivery, "DueDomainUnverified", now, {
      statusMessage: "The sender domain is no longer verified."
    })
  if (excessOf(plan.sendingAllowance, allowanceUsed, 1) !== undefined)
    return applyTransition(delivery, "DueOverAllowance", now, {
      statusMessage: "The sending allowance was used up at the scheduled time."
    })
  return applyTransition(delivery, "DueReached", now, { queuedAt: now })
}

/** Queues the delivery, or ends it. Writes nothing when the claim is lost. */
export const queueDue = (facts: QueueDueFacts): Decision<HandledStatus> => {
  const { now, eventId, plan, claimed, delivery, message, apiKey, domain } = facts
  if (!holdsClaim(claimed, delivery)) return claimLost
  const transition = transitionOf(delivery, facts)
  const guards = [...expectApiKey(apiKey), expectDomain(delivery.projectId, message.domain, domain)]
  return {
    answer: transition.after.status,
    changes: [
      ...(transition.row.trigger === "DueReached" ? guards : []),
      ...transitionChanges(transition, now, eventId),
      ...addToCounters(delivery.projectId, transition.counterChanges, plan)
    ]
  }
}
