/**
 * What becomes of a push after a try, and of the webhook that it was for. Source: decisions 0016 and 0028.
 */
import type { Change } from "../domain/Change.ts"
import type { DefinitionOf } from "../domain/Definition.ts"
import type { EventPush, EventPushState, PushTry } from "../domain/EventPush.ts"
import { pushState, triesKeptMax } from "../domain/EventPush.ts"
import type { Instant } from "../domain/Instant.ts"
import { minuteMillis } from "../domain/Instant.ts"
import { jitterOf } from "../domain/RetrySchedule.ts"
import { failingMillisMax, pushWaitMillis, subscriptionWaitMillis } from "../domain/Webhook.ts"
import type { Decision } from "./Decision.ts"

/** How a try ended. */
export type PushEnding =
  | { readonly _tag: "Taken"; readonly status: number | null }
  | {
      readonly _tag: "Refused"
      readonly status: number | null
      readonly retryAfterSeconds: number | null
      readonly gone: boolean
    }
  | { readonly _tag: "Lost"; readonly error: string }
  /** There is nobody to push to, or nothing to push; no try was made. */
  | { readonly _tag: "Impossible"; readonly error: string }
  /** Something on our side is missing, such as the right master secret; no try was made, and none is counted. */
  | { readonly _tag: "Postponed"; readonly error: string }

export interface SettlePushFacts {
  readonly now: Instant
  readonly startedAt: Instant
  /** Claimed. */
  readonly push: EventPush
  /** Who it was for; `null` for a subscription, or for what is no more. */
  readonly webhook: DefinitionOf<"webhook"> | null
}

const tried = (ending: PushEnding, { now, startedAt }: SettlePushFacts): PushTry => ({
  at: startedAt,
  status: "status" in ending ? ending.status : null,
  error: "error" in ending ? ending.error : null,
  durationMillis: Math.max(0, now - startedAt)
})

/** The wait of a push that was postponed: it is not the subscriber that fails, so the schedule stays where it is. */
const postponedMillis = 5 * minuteMillis

const waitMillis = (ending: PushEnding, { push, webhook }: SettlePushFacts): number | undefined => {
  const attempts = push.attempts + 1
  if (webhook === null) return subscriptionWaitMillis(attempts)
  const asked = ending._tag === "Refused" ? ending.retryAfterSeconds : null
  return pushWaitMillis(attempts, jitterOf(push.id, attempts), asked)
}

const nextState = (ending: PushEnding, facts: SettlePushFacts): EventPushState => {
  const { now, push } = facts
  const done = {
    ...pushState(push),
    worker: null,
    token: push.token + 1,
    attempts: push.attempts + 1,
    tries: [...push.tries, tried(ending, facts)].slice(-triesKeptMax)
  }
  if (ending._tag === "Postponed") return { ...done, attempts: push.attempts, dueAt: now + postponedMillis }
  const settled = (status: "delivered" | "failed"): EventPushState => ({ ...done, status, dueAt: null, settledAt: now })
  if (ending._tag === "Taken") return settled("delivered")
  const wait =
    ending._tag === "Impossible" || (ending._tag === "Refused" && ending.gone) ? undefined : waitMillis(ending, facts)
  return wait === undefined ? settled("failed") : { ...done, dueAt: now + wait }
}

/** A webhook's record changes only when it begins to fail, is well again, or is given up. */
const webhookAfter = (ending: PushEnding, { now, webhook }: SettlePushFacts): ReadonlyArray<Change> => {
  if (webhook === null || ending._tag === "Impossible" || ending._tag === "Postponed") return []
  const { failingSince, status } = webhook.content
  const since = ending._tag === "Taken" ? null : (failingSince ?? now)
  const givenUp = (ending._tag === "Refused" && ending.gone) || (since !== null && now - since >= failingMillisMax)
  const content = { ...webhook.content, failingSince: since, status: givenUp ? ("disabled" as const) : status }
  if (content.failingSince === failingSince && content.status === status) return []
  const after = { ...webhook, content, updatedAt: now, revision: webhook.revision + 1 }
  return [{ _tag: "PutDefinition", definition: after, replaces: webhook.revision }]
}

/** Answers with the push as it stands afterwards. */
export const settlePush = (ending: PushEnding, facts: SettlePushFacts): Decision<EventPush> => {
  const { push } = facts
  const next = nextState(ending, facts)
  return {
    answer: { ...push, ...next },
    changes: [
      { _tag: "MovePush", id: push.id, from: "pending", token: push.token, next },
      ...webhookAfter(ending, facts)
    ]
  }
}

/** A settled push is due again at once, from the beginning of its schedule; a pending one stays as it is. */
export const replayPush = (push: EventPush, now: Instant): Decision<EventPush> => {
  if (push.status === "pending") return { answer: push, changes: [] }
  const next: EventPushState = {
    ...pushState(push),
    status: "pending",
    dueAt: now,
    worker: null,
    token: push.token + 1,
    attempts: 0,
    settledAt: null
  }
  return {
    answer: { ...push, ...next },
    changes: [{ _tag: "MovePush", id: push.id, from: push.status, token: push.token, next }]
  }
}
