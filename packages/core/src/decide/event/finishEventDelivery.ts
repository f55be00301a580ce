/**
 * Finishes an attempt of an event delivery, and updates its webhook. Source: decisions 0016 and 0028.
 */
import type { Change } from "../../domain/store/Change.ts"
import type { ResourceOf } from "../../domain/store/Resource.ts"
import type {
  EventDelivery,
  EventDeliveryState,
  EventDeliveryAttempt,
  SinkOutcome
} from "../../domain/event/EventDelivery.ts"
import { eventDeliveryState, latestAttemptsMax } from "../../domain/event/EventDelivery.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { jitterOf } from "../../domain/value/Jitter.ts"
import { subscriptionWaitMillis } from "../../domain/event/Subscription.ts"
import { failingMillisMax, eventDeliveryWaitMillis } from "../../domain/webhook/Webhook.ts"
import type { Decision } from "../store/Decision.ts"
import { unchanged } from "../store/Decision.ts"

/** How the processing of a claimed event delivery ended. */
export type EventDeliveryResult =
  | SinkOutcome
  | { readonly _tag: "NoReply"; readonly error: string }
  /**
   * Nothing was sent, and nothing will be: the subscriber or the event no longer exists, or the webhook is disabled. No attempt is counted.
   * `latestAttempts` gets the reason.
   */
  | { readonly _tag: "NotAttempted"; readonly error: string }
  /**
   * Nothing was sent, because Mailkeep lacks something, such as the correct master secret or its store. No attempt is counted.
   * `latestAttempts` gets the reason. The event delivery is due again after `waitMillis`.
   */
  | { readonly _tag: "Postponed"; readonly error: string; readonly waitMillis: number }

export interface FinishEventDeliveryFacts {
  readonly now: Instant
  readonly startedAt: Instant
  /** The event delivery when this worker claimed it. */
  readonly claimed: EventDelivery
  /** The event delivery now; `null` if it is no longer stored. */
  readonly current: EventDelivery | null
  /** The webhook now; `null` for a subscription, or if the webhook no longer exists. */
  readonly webhook: ResourceOf<"webhook"> | null
  /** The URL of the webhook when the attempt began; `null` if nothing was sent to a URL. */
  readonly attemptedUrl: string | null
}

/** The answer of `finishEventDelivery`. */
export interface FinishedEventDelivery {
  /**
   * The event delivery after its transition, or `null` if another worker has claimed the event delivery since. That worker records its own
   * result.
   */
  readonly eventDelivery: EventDelivery | null
  /** The webhook, if this attempt disabled it. */
  readonly disabledWebhook: ResourceOf<"webhook"> | null
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

/** Whether the result says something about the webhook as it is now. The answer of an earlier URL does not. */
const isAboutWebhook = ({ webhook, attemptedUrl }: FinishEventDeliveryFacts): boolean =>
  webhook !== null && webhook.content.url === attemptedUrl

const waitMillis = (
  result: EventDeliveryResult,
  current: EventDelivery,
  webhook: ResourceOf<"webhook"> | null
): number | undefined => {
  const attempts = current.attemptCount + 1
  if (webhook === null) return subscriptionWaitMillis(attempts)
  const retryAfterSeconds = result._tag === "Refused" ? result.retryAfterSeconds : null
  return eventDeliveryWaitMillis(attempts, jitterOf(current.id, attempts), retryAfterSeconds)
}

/** Whether the subscriber wants no further events. A webhook with a new URL still wants them. */
const subscriberIsGone = (result: EventDeliveryResult, facts: FinishEventDeliveryFacts): boolean =>
  result._tag === "Refused" && result.wantsNoMoreEvents && (facts.webhook === null || isAboutWebhook(facts))

const nextState = (
  result: EventDeliveryResult,
  current: EventDelivery,
  facts: FinishEventDeliveryFacts
): EventDeliveryState => {
  const { now, webhook } = facts
  const base = {
    ...eventDeliveryState(current),
    worker: null,
    fencingToken: current.fencingToken + 1,
    latestAttempts: [...current.latestAttempts, attemptOf(result, facts)].slice(-latestAttemptsMax)
  }
  if (result._tag === "Postponed") return { ...base, dueAt: now + result.waitMillis }
  const ended = (status: "delivered" | "failed"): EventDeliveryState => ({
    ...base,
    attemptCount: result._tag === "NotAttempted" ? current.attemptCount : current.attemptCount + 1,
    status,
    dueAt: null,
    endedAt: now
  })
  if (result._tag === "Accepted") return ended("delivered")
  if (result._tag === "NotAttempted" || subscriberIsGone(result, facts)) return ended("failed")
  const wait = waitMillis(result, current, webhook)
  return wait === undefined ? ended("failed") : { ...base, attemptCount: current.attemptCount + 1, dueAt: now + wait }
}

/** Returns the webhook after the attempt. It changes only when it begins to fail, recovers, or is disabled; `null` if it does not change. */
const webhookAfter = (
  result: EventDeliveryResult,
  facts: FinishEventDeliveryFacts
): { readonly before: ResourceOf<"webhook">; readonly after: ResourceOf<"webhook"> } | null => {
  const { now, webhook } = facts
  if (webhook === null || result._tag === "NotAttempted" || result._tag === "Postponed" || !isAboutWebhook(facts))
    return null
  const { failingSince, status } = webhook.content
  const since = result._tag === "Accepted" ? null : (failingSince ?? now)
  const disabled = subscriberIsGone(result, facts) || (since !== null && now - since >= failingMillisMax)
  const content = { ...webhook.content, failingSince: since, status: disabled ? ("disabled" as const) : status }
  if (content.failingSince === failingSince && content.status === status) return null
  return { before: webhook, after: { ...webhook, content, updatedAt: now, revision: webhook.revision + 1 } }
}

/** Finishes an attempt: the next state of the event delivery, and of its webhook. */
export const finishEventDelivery = (
  result: EventDeliveryResult,
  facts: FinishEventDeliveryFacts
): Decision<FinishedEventDelivery> => {
  const { claimed, current } = facts
  if (current === null || current.fencingToken !== claimed.fencingToken || current.status !== "pending")
    return unchanged({ eventDelivery: null, disabledWebhook: null })
  const next = nextState(result, current, facts)
  const webhook = webhookAfter(result, facts)
  const isDisabled = webhook?.before.content.status === "enabled" && webhook.after.content.status === "disabled"
  const webhookChanges: ReadonlyArray<Change> =
    webhook === null ? [] : [{ _tag: "PutResource", resource: webhook.after, replaces: webhook.before.revision }]
  return {
    answer: { eventDelivery: { ...current, ...next }, disabledWebhook: isDisabled ? webhook.after : null },
    changes: [
      {
        _tag: "TransitionEventDelivery",
        projectId: current.projectId,
        id: current.id,
        from: "pending",
        fencingToken: current.fencingToken,
        next
      },
      ...webhookChanges
    ]
  }
}
