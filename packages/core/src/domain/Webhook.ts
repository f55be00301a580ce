/**
 * Subscribers of events: webhooks of a project, and subscriptions of the embedding product. Source: decisions 0016 and 0028.
 */
import { Schema } from "effect"
import { decoder, says } from "./Issue.ts"
import type { Instant } from "./Instant.ts"
import { dayMillis, hourMillis, minuteMillis, secondMillis } from "./Instant.ts"
import type { EventKind } from "./MailEvent.ts"
import { eventKinds } from "./MailEvent.ts"
import type { ProjectId } from "./Project.ts"
import { lineOf, textOf } from "./TextRule.ts"

export const webhookStatuses = ["enabled", "disabled"] as const
export type WebhookStatus = (typeof webhookStatuses)[number]

/** An encrypted signing secret. It signs until `until`; `null` means without end. */
export interface WebhookSecret {
  readonly encrypted: string
  readonly until: Instant | null
}

export interface Webhook {
  readonly url: string
  readonly events: ReadonlyArray<EventKind>
  readonly description: string
  readonly status: WebhookStatus
  /** The time of the first of the consecutive failed attempts; `null` after a successful attempt. */
  readonly failingSince: Instant | null
  /** The signing secrets, newest first. */
  readonly secrets: ReadonlyArray<WebhookSecret>
}

/** A named in-process subscriber. It receives the events of all projects. */
export interface Subscription {
  readonly events: ReadonlyArray<EventKind>
}

/** The project id of subscriptions. No project has this id. */
export const allProjects: ProjectId = "*"

export const webhooksMax = 50

/** How long the previous secret still signs after a rotation. */
export const rotationMillis = dayMillis

/** A webhook whose attempts have all failed for this time is disabled. */
export const failingMillisMax = 5 * dayMillis

/** The maximum duration of one attempt. */
export const eventDeliveryDeadlineMillis = 15 * secondMillis

/** The wait before each attempt after the first. Source: Standard Webhooks. */
const waits = [
  5 * secondMillis,
  5 * minuteMillis,
  30 * minuteMillis,
  2 * hourMillis,
  5 * hourMillis,
  10 * hourMillis,
  14 * hourMillis,
  20 * hourMillis,
  24 * hourMillis
]

const jitterShare = 0.2
const retryAfterMillisMax = dayMillis

/**
 * Returns the wait after the `attempts`-th attempt (from 1), or `undefined` after the last attempt.
 * `jitter`, in [0, 1), makes the wait up to 20 % longer. The wait is at least `retryAfterSeconds`, of which at most one day counts.
 */
export const eventDeliveryWaitMillis = (
  attempts: number,
  jitter: number,
  retryAfterSeconds: number | null
): number | undefined => {
  const wait = waits[attempts - 1]
  if (wait === undefined) return undefined
  const requestedMillis = (retryAfterSeconds ?? 0) * secondMillis
  // An invalid number of seconds is ignored.
  const bounded = Number.isNaN(requestedMillis) ? 0 : Math.round(Math.min(retryAfterMillisMax, requestedMillis))
  return Math.max(Math.round(wait * (1 + jitterShare * jitter)), bounded)
}

/** Returns the wait of a subscription, whose handler runs in this process. It is 1 s, then doubles up to 5 min; the attempts never end. */
export const subscriptionWaitMillis = (attempts: number): number =>
  Math.min(5 * minuteMillis, secondMillis * 2 ** Math.min(attempts - 1, 20))

const urlCharactersMax = 2000

const Url = textOf({ min: 1, max: urlCharactersMax })
const Events = Schema.Array(
  Schema.Literals(eventKinds).annotate(says("invalid_value", `must be one of ${eventKinds.join(", ")}`))
).check(
  Schema.isMinLength(1, says("too_short", "must name at least one kind of event")),
  Schema.isMaxLength(eventKinds.length, says("too_many_items", `must name at most ${eventKinds.length} kinds of event`))
)

export const CreateWebhookBody = Schema.Struct({
  url: Url,
  events: Schema.optionalKey(Events),
  description: Schema.optionalKey(lineOf({ max: 500 }))
}).annotate({ identifier: "CreateWebhookRequest" })
export type CreateWebhook = typeof CreateWebhookBody.Type
export const parseCreateWebhook = decoder(CreateWebhookBody, { events: eventKinds.length })

export const UpdateWebhookBody = Schema.Struct({
  url: Schema.optionalKey(Url),
  events: Schema.optionalKey(Events),
  description: Schema.optionalKey(lineOf({ max: 500 })),
  status: Schema.optionalKey(
    Schema.Literals(webhookStatuses).annotate(says("invalid_value", "must be enabled or disabled"))
  )
}).annotate({ identifier: "UpdateWebhookRequest" })
export type UpdateWebhook = typeof UpdateWebhookBody.Type
export const parseUpdateWebhook = decoder(UpdateWebhookBody, { events: eventKinds.length })
