/**
 * Releases a scheduled delivery whose time has come: queued and charged, or ended without being sent.
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
import type { Movement } from "./movement.ts"
import { isNotYetDue, move, movementChanges, spendCounters } from "./movement.ts"

export interface ReleaseFacts {
  readonly now: Instant
  readonly eventId: EventId
  readonly plan: Plan
  /** Claimed, in status `scheduled`. */
  readonly delivery: Delivery
  readonly message: Message
  /** The key that sent it; `null` for the embedding product. */
  readonly key: ApiKey | null
  readonly domain: SenderDomain | null
  readonly suppression: Suppression | null
  readonly allowanceUsed: number
}

const movementOf = ({ now, plan, delivery, key, domain, suppression, allowanceUsed }: ReleaseFacts): Movement => {
  if (isNotYetDue(delivery, now)) return move(delivery, "NotYetDue", now)
  const suppressed = suppressedFor(suppression, now)
  if (suppressed !== null) return move(delivery, "DueSuppressed", now, { reason: suppressed })
  if (key !== null && key.revokedAt !== null)
    return move(delivery, "DueKeyRevoked", now, { statusMessage: "The API key was revoked before the scheduled time." })
  if (domain?.status !== "verified")
    return move(delivery, "DueDomainUnverified", now, { statusMessage: "The sender domain is no longer verified." })
  if (!fits(plan.sendingAllowance, allowanceUsed, 1))
    return move(delivery, "DueOverAllowance", now, {
      statusMessage: "The sending allowance was used up at the scheduled time."
    })
  return move(delivery, "DueReached", now, { dueAt: now, queuedAt: now })
}

/** Answers with the delivery as it stands afterwards. */
export const releaseDue = (facts: ReleaseFacts): Decision<Delivery> => {
  const { now, eventId, plan, delivery, message, key, domain } = facts
  const movement = movementOf(facts)
  const guards = [...expectKey(key), expectDomain(delivery.projectId, message.domain, domain)]
  return {
    answer: movement.after,
    changes: [
      ...(movement.row.on === "DueReached" ? guards : []),
      ...movementChanges(movement, now, eventId),
      ...spendCounters(delivery.projectId, movement.spends, plan)
    ]
  }
}
