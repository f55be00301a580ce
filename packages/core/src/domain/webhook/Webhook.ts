/**
 * A webhook: the URL of a project that receives events, its signing secrets, and the waits between the attempts of an event delivery to it. Source:
 * decisions 0016 and 0028.
 */
import type { Redacted } from "effect"
import type { EventKind } from "../event/MailEvent.ts"
import type { StoredResource } from "../store/StoredResource.ts"
import type { Instant } from "../value/Instant.ts"
import { dayMillis, hourMillis, minuteMillis, secondMillis } from "../value/Instant.ts"

/** All statuses of a webhook. */
export const webhookStatuses = ["enabled", "disabled"] as const
/** The status of a webhook. A disabled webhook gets no events. */
export type WebhookStatus = (typeof webhookStatuses)[number]

/** An encrypted signing secret. It signs until `until`; `null` means without end. */
interface WebhookSecret {
  readonly encrypted: string
  readonly until: Instant | null
}

/** The stored content of a webhook. */
export interface WebhookContent {
  readonly url: string
  readonly events: ReadonlyArray<EventKind>
  readonly description: string
  readonly status: WebhookStatus
  /**
   * The end of the first of the consecutive failed attempts; `null` after a successful attempt. It is also `null` for a new webhook, after the
   * webhook was enabled again, and after a change of its URL.
   */
  readonly failingSince: Instant | null
  /** The signing secrets, newest first. */
  readonly secrets: ReadonlyArray<WebhookSecret>
}

/** A webhook of a project: a URL that receives events. */
export interface Webhook {
  readonly id: string
  readonly url: string
  /** The kinds of events that the webhook receives. */
  readonly events: ReadonlyArray<EventKind>
  readonly description: string
  /** A webhook is disabled by an update, when its endpoint wants no more events (410), and after five days of failures. An update enables it. */
  readonly status: WebhookStatus
  /**
   * When the first of the consecutive failed attempts ended; `null` after a successful attempt. It is also `null` for a new webhook, after the
   * webhook was enabled again, and after a change of its URL.
   */
  readonly failingSince: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** A webhook with its newest secret. The secret is shown only once. */
export interface WebhookWithSecret {
  readonly webhook: Webhook
  /** `whsec_` and 32 bytes in base64, as Standard Webhooks defines it. */
  readonly secret: Redacted.Redacted<string>
}

/** The result of a test event. */
export interface WebhookTestResult {
  /** Whether the endpoint accepted the test event. */
  readonly delivered: boolean
  /** The status of the HTTP response; `null` without a response. */
  readonly statusCode: number | null
  /**
   * Why there was no response; `null` with a response. The core sets `timeout` (no response within 15 s), `no_sink` (the process has no
   * `EventSink`) and `secret_unreadable` (another master secret encrypted the secret). It sets `sink_failed` for a defect of the event sink, and
   * `no_outcome` when the sink returned no outcome. Other values come from the event sink. `@mailkeep/webhooks` sets `not_https`,
   * `port_not_allowed`, `name_not_resolved`, `address_not_allowed`, `connection_failed`, or a system error code in lower case, such as `econnrefused`.
   */
  readonly error: string | null
}

/** Returns the webhook of a record, without its secrets. */
export const toWebhook = ({
  id,
  content,
  createdAt,
  updatedAt
}: StoredResource<"webhook", WebhookContent>): Webhook => ({
  id,
  url: content.url,
  events: content.events,
  description: content.description,
  status: content.status,
  failingSince: content.failingSince,
  createdAt,
  updatedAt
})

export const webhooksMax = 50

/** How long the previous secret still signs after a rotation. */
export const rotationMillis = dayMillis

/** The most secrets of a webhook that sign at the same time. */
export const webhookSecretsMax = 5

/** A webhook whose attempts have all failed for this time is disabled. */
export const failingMillisMax = 5 * dayMillis

/** The maximum duration of one attempt. */
export const eventDeliveryDeadlineMillis = 15 * secondMillis

/** The wait before each attempt after the first, as in Standard Webhooks. Source: decision 0028. */
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
