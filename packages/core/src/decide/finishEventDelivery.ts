/**
 * Finishes an attempt of an event delivery, and updates its webhook. Source: decisions 0016 and 0028.
 */
import type { Change } from "../domain/Change.ts"
import type { ResourceOf } from "../domain/Resource.ts"
import type { EventDelivery, EventDeliveryState, EventDeliveryAttempt, SinkOutcome } from "../domain/EventDelivery.ts"
import { eventDeliveryState, latestAttemptsMax } from "../domain/EventDelivery.ts"
import type { Instant } from "../domain/Instant.ts"
import { minuteMillis } from "../domain/Instant.ts"
import { jitterOf } from "../domain/RetrySchedule.ts"
import { failingMillisMax, eventDeliveryWaitMillis, subscriptionWaitMillis } from "../domain/Webhook.ts"
import type { Decision } from "./Decision.ts"

/** How an attempt ended. */
export type EventDeliveryResult =
  | SinkOutcome
  | { readonly _tag: "Lost"; readonly error: string }
  /** No attempt was made, because the subscriber or the event no longer exists. */
  | { readonly _tag: "NotAttempted"; readonly error: string }
  /** No attempt was made or counted, because Mailkeep lacks something, such as the correct master secret. */
  | { readonly _tag: "Postponed"; readonly error: string }

export interface FinishEventDeliveryFacts {
  readonly now: Instant
  readonly startedAt: Instant
  /** The claimed event delivery. */
  readonly eventDelivery: EventDelivery
  /** The webhook; `null` for a subscription, or if the webhook no longer exists. */
  readonly webhook: ResourceOf<"webhook"> | null
}

const attemptOf = (
  result: EventDeliveryResult,
  { now, startedAt }: FinishEventDeliveryFacts
): EventDeliveryAttempt => ({
  at: startedAt,
  status: "status" in result ? result.status : null,
  error: "error" in result ? result.error : null,
  durationMillis: Math.max(0, now - startedAt)
})

/** The wait after a postponed attempt. The subscriber did not fail, so the position in the retry schedule does not change. */
const postponedMillis = 5 * minuteMillis

const waitMillis = (
  result: EventDeliveryResult,
  { eventDelivery, webhook }: FinishEventDeliveryFacts
): number | undefined => {
  const attempts = eventDelivery.attempts + 1
  if (webhook === null) return subscriptionWaitMillis(attempts)
  const retryAfterSeconds = result._tag === "Refused" ? result.retryAfterSeconds : null
  return eventDeliveryWaitMillis(attempts, jitterOf(eventDelivery.id, attempts), retryAfterSeconds)
}

const nextState = (result: EventDeliveryResult, facts: FinishEventDeliveryFacts): EventDeliveryState => {
  const { now, eventDelivery } = facts
  const base = {
    ...eventDeliveryState(eventDelivery),
    worker: null,
    fencingToken: eventDelivery.fencingToken + 1,
    attempts: eventDelivery.attempts + 1,
    latestAttempts: [...eventDelivery.latestAttempts, attemptOf(result, facts)].slice(-latestAttemptsMax)
  }
  if (result._tag === "Postponed") return { ...base, attempts: eventDelivery.attempts, dueAt: now + postponedMillis }
  const ended = (status: "delivered" | "failed"): EventDeliveryState => ({
    ...base,
    status,
    dueAt: null,
    settledAt: now
  })
  if (result._tag === "Accepted") return ended("delivered")
  const wait =
    result._tag === "NotAttempted" || (result._tag === "Refused" && result.gone) ? undefined : waitMillis(result, facts)
  return wait === undefined ? ended("failed") : { ...base, dueAt: now + wait }
}

/** Updates the webhook's record. It changes only when the webhook begins to fail, recovers, or is disabled. */
const webhookAfter = (
  result: EventDeliveryResult,
  { now, webhook }: FinishEventDeliveryFacts
): ReadonlyArray<Change> => {
  if (webhook === null || result._tag === "NotAttempted" || result._tag === "Postponed") return []
  const { failingSince, status } = webhook.content
  const since = result._tag === "Accepted" ? null : (failingSince ?? now)
  const disabled = (result._tag === "Refused" && result.gone) || (since !== null && now - since >= failingMillisMax)
  const content = { ...webhook.content, failingSince: since, status: disabled ? ("disabled" as const) : status }
  if (content.failingSince === failingSince && content.status === status) return []
  const after = { ...webhook, content, updatedAt: now, revision: webhook.revision + 1 }
  return [{ _tag: "PutResource", resource: after, replaces: webhook.revision }]
}

/** Finishes an attempt. The answer is the event delivery after its transition. */
export const finishEventDelivery = (
  result: EventDeliveryResult,
  facts: FinishEventDeliveryFacts
): Decision<EventDelivery> => {
  const { eventDelivery } = facts
  const next = nextState(result, facts)
  return {
    answer: { ...eventDelivery, ...next },
    changes: [
      {
        _tag: "MoveEventDelivery",
        id: eventDelivery.id,
        from: "pending",
        fencingToken: eventDelivery.fencingToken,
        next
      },
      ...webhookAfter(result, facts)
    ]
  }
}

/** Makes an ended event delivery due again at once, at the start of its retry schedule. A pending event delivery does not change. */
export const replayEventDelivery = (eventDelivery: EventDelivery, now: Instant): Decision<EventDelivery> => {
  if (eventDelivery.status === "pending") return { answer: eventDelivery, changes: [] }
  const next: EventDeliveryState = {
    ...eventDeliveryState(eventDelivery),
    status: "pending",
    dueAt: now,
    worker: null,
    fencingToken: eventDelivery.fencingToken + 1,
    attempts: 0,
    settledAt: null
  }
  return {
    answer: { ...eventDelivery, ...next },
    changes: [
      {
        _tag: "MoveEventDelivery",
        id: eventDelivery.id,
        from: eventDelivery.status,
        fencingToken: eventDelivery.fencingToken,
        next
      }
    ]
  }
}
