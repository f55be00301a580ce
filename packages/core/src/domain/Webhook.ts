/**
 * Consumers of events: webhooks of a project, and subscriptions of the embedding product. Source: decisions 0016 and 0028.
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

/** A signing secret, encrypted; it signs until then, or for good. */
export interface WebhookSecret {
  readonly encrypted: string
  readonly until: Instant | null
}

export interface Webhook {
  readonly url: string
  readonly events: ReadonlyArray<EventKind>
  readonly description: string
  readonly status: WebhookStatus
  /** Since when every try has failed; `null` after one that went well. */
  readonly failingSince: Instant | null
  /** The newest first. */
  readonly secrets: ReadonlyArray<WebhookSecret>
}

/** A named consumer in the product's own process, of every project's events. */
export interface Subscription {
  readonly events: ReadonlyArray<EventKind>
}

/** Where subscriptions stand: no project has this name. */
export const everyProject: ProjectId = "*"

export const webhooksMax = 50

/** How long the secret before the newest signs too. */
export const rotationMillis = dayMillis

/** An endpoint that has failed for so long, and not gone well once, is disabled. */
export const failingMillisMax = 5 * dayMillis

/** One try's whole time. */
export const pushDeadlineMillis = 15 * secondMillis

/** The wait before each try after the first. Source: Standard Webhooks. */
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
 * The wait after the `attempts`-th try (from 1), up to 20 % longer, and no shorter than the consumer asks for; `undefined` when that was the
 * last one, and no longer than a day. `jitter` is within [0, 1).
 */
export const pushWaitMillis = (
  attempts: number,
  jitter: number,
  retryAfterSeconds: number | null
): number | undefined => {
  const wait = waits[attempts - 1]
  if (wait === undefined) return undefined
  const asked = (retryAfterSeconds ?? 0) * secondMillis
  // A sink that cannot count asks for nothing.
  const bounded = Number.isNaN(asked) ? 0 : Math.round(Math.min(retryAfterMillisMax, asked))
  return Math.max(Math.round(wait * (1 + jitterShare * jitter)), bounded)
}

/** The wait of a subscription, whose handler runs in the same process: 1 s, doubled each time up to 5 min, without end. */
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
