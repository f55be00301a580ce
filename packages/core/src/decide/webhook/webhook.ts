/**
 * Creates, updates and deletes webhooks, and gives them new secrets. Source: decision 0028.
 */
import { Result } from "effect"
import type { ProjectId } from "../../domain/access/Project.ts"
import { defaultEventKinds } from "../../domain/event/MailEvent.ts"
import type { ResourceOf } from "../../domain/store/Resource.ts"
import { RecordNotFound, TooManyRecords } from "../../domain/value/Failure.ts"
import type { IdBlock } from "../../domain/value/Id.ts"
import { idAt } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { WebhookContent } from "../../domain/webhook/Webhook.ts"
import { rotationMillis, webhooksMax } from "../../domain/webhook/Webhook.ts"
import type { ValidCreateWebhook, ValidUpdateWebhook } from "../../domain/webhook/WebhookInput.ts"
import type { Decision } from "../store/Decision.ts"

type WebhookRecord = ResourceOf<"webhook">

export interface CreateWebhookFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly projectId: ProjectId
  /** The number of webhooks of the project. */
  readonly count: number
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

const created = (resource: WebhookRecord): Decision<WebhookRecord> => ({
  answer: resource,
  changes: [{ _tag: "PutResource", resource, replaces: null }]
})

/** Replaces the content of an existing webhook. Fails if the webhook does not exist. */
const changed = (
  { now, id, existing }: WebhookFacts,
  change: (content: WebhookContent) => Partial<WebhookContent>
): Result.Result<Decision<WebhookRecord>, RecordNotFound> => {
  if (existing === null) return Result.fail(new RecordNotFound({ record: "webhook", id }))
  const content = { ...existing.content, ...change(existing.content) }
  const resource = { ...existing, content, updatedAt: now, revision: existing.revision + 1 }
  return Result.succeed({
    answer: resource,
    changes: [{ _tag: "PutResource", resource, replaces: existing.revision }]
  })
}

/** Creates a webhook with its first secret. Fails if the project has the maximum number of webhooks. */
export const createWebhook = (
  { url, events = defaultEventKinds, description = "" }: ValidCreateWebhook,
  { now, ids, projectId, count, encryptedSecret }: CreateWebhookFacts
): Result.Result<Decision<WebhookRecord>, TooManyRecords> =>
  count >= webhooksMax
    ? Result.fail(new TooManyRecords({ record: "webhook", max: webhooksMax }))
    : Result.succeed(
        created({
          id: idAt(ids, "whk", 0),
          projectId,
          kind: "webhook",
          parent: "",
          name: null,
          content: {
            url,
            events,
            description,
            status: "enabled",
            failingSince: null,
            secrets: [{ encrypted: encryptedSecret, until: null }]
          },
          createdAt: now,
          updatedAt: now,
          revision: 1
        })
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

/** Adds a new secret. The previous secret also signs for 24 hours. Older secrets are removed. */
export const rotateWebhookSecret = (
  facts: WebhookFacts & { readonly encryptedSecret: string }
): Result.Result<Decision<WebhookRecord>, RecordNotFound> =>
  changed(facts, ({ secrets: [newest] }) => ({
    secrets: [
      { encrypted: facts.encryptedSecret, until: null },
      ...(newest === undefined ? [] : [{ ...newest, until: facts.now + rotationMillis }])
    ]
  }))
