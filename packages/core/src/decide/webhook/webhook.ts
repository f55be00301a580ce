/**
 * Creates and updates webhooks, and gives them new secrets. Source: decision 0028.
 */
import { Result } from "effect"
import { defaultEventKinds } from "../../domain/event/MailEvent.ts"
import type { ResourceOf } from "../../domain/store/Resource.ts"
import type { TooManyRecords } from "../../domain/store/RecordFailure.ts"
import { RecordNotFound } from "../../domain/store/RecordFailure.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { WebhookContent } from "../../domain/webhook/Webhook.ts"
import { rotationMillis, webhookSecretsMax, webhooksMax } from "../../domain/webhook/Webhook.ts"
import type { ValidCreateWebhook, ValidUpdateWebhook } from "../../domain/webhook/WebhookInput.ts"
import type { Decision } from "../store/Decision.ts"
import type { InsertingFacts } from "../store/resource.ts"
import { insertResource, replaceResource } from "../store/resource.ts"

type WebhookRecord = ResourceOf<"webhook">

export interface CreateWebhookFacts extends InsertingFacts {
  /** The new signing secret, encrypted. */
  readonly encryptedSecret: string
}

export interface WebhookFacts {
  readonly now: Instant
  /** The id in the request. */
  readonly id: string
  /** The webhook with this id; `null` if the project has none. */
  readonly existing: WebhookRecord | null
}

/** Replaces the content of an existing webhook. Fails if the webhook does not exist. */
const changed = (
  { now, id, existing }: WebhookFacts,
  change: (content: WebhookContent) => Partial<WebhookContent>
): Result.Result<Decision<WebhookRecord>, RecordNotFound> => {
  if (existing === null) return Result.fail(new RecordNotFound({ record: "webhook", id }))
  const content = { ...existing.content, ...change(existing.content) }
  return Result.succeed(replaceResource(existing, { name: null, content }, now))
}

/** Creates a webhook with its first secret. Fails if the project has the maximum number of webhooks. */
export const createWebhook = (
  { url, events = defaultEventKinds, description = "" }: ValidCreateWebhook,
  { encryptedSecret, ...facts }: CreateWebhookFacts
): Result.Result<Decision<WebhookRecord>, TooManyRecords> =>
  insertResource(
    {
      kind: "webhook",
      record: "webhook",
      name: null,
      content: {
        url,
        events,
        description,
        status: "enabled",
        failingSince: null,
        secrets: [{ encrypted: encryptedSecret, until: null }]
      },
      max: webhooksMax
    },
    facts
  )

/**
 * Updates a webhook. An update that enables the webhook or changes its URL starts five new days before failures disable the webhook. A new URL
 * alone does not enable a disabled webhook.
 */
export const updateWebhook = (
  input: ValidUpdateWebhook,
  facts: WebhookFacts
): Result.Result<Decision<WebhookRecord>, RecordNotFound> =>
  changed(facts, ({ url, events, description, status, failingSince }) => ({
    url: input.url ?? url,
    events: input.events ?? events,
    description: input.description ?? description,
    status: input.status ?? status,
    failingSince: input.url !== undefined || input.status === "enabled" ? null : failingSince
  }))

/**
 * Adds a new secret. The previous secret also signs for 24 hours, and each earlier one until the end of its own 24 hours. The answer of a rotation can
 * be lost, and the receiver then still has the earlier secret. Removes the oldest secrets above `webhookSecretsMax`.
 */
export const rotateWebhookSecret = (
  facts: WebhookFacts & { readonly encryptedSecret: string }
): Result.Result<Decision<WebhookRecord>, RecordNotFound> =>
  changed(facts, ({ secrets }) => ({
    secrets: [
      { encrypted: facts.encryptedSecret, until: null },
      ...secrets
        .map(({ encrypted, until }) => ({ encrypted, until: until ?? facts.now + rotationMillis }))
        .filter(({ until }) => until > facts.now)
    ].slice(0, webhookSecretsMax)
  }))
