/**
 * The webhooks of one project and the event deliveries to them, with promises.
 */
import type { CursorInput, CursorPage, Page, PageInput } from "../domain/store/Paging.ts"
import type { Webhook, WebhookTestResult } from "../domain/webhook/Webhook.ts"
import type { WebhookDelivery } from "../domain/webhook/WebhookDelivery.ts"
import type { CreateWebhookInput, UpdateWebhookInput } from "../domain/webhook/WebhookInput.ts"
import type { CallOptions } from "./CallOptions.ts"

/** A webhook, with the fields that the interface over HTTP shows. An embedded project returns more. */
export interface ListedWebhook extends Omit<Webhook, "failingSince"> {}

/** An event delivery to a webhook, with the fields that the interface over HTTP shows. An embedded project returns more. */
export interface ListedWebhookDelivery extends Omit<WebhookDelivery, "webhookId" | "attemptCount"> {}

/** A webhook with its newest secret. */
export interface WebhookSecret<One = ListedWebhook> {
  readonly webhook: One
  /** `whsec_` and 32 bytes in base64, as Standard Webhooks defines it. Shown only once. Keep it out of logs. */
  readonly secret: string
}

/** The webhooks of a project. */
export interface WebhooksHandle<One = ListedWebhook, Delivery = ListedWebhookDelivery> {
  /** One page of the webhooks, newest first. A project has at most 50 webhooks. */
  readonly list: (input?: PageInput, options?: CallOptions) => Promise<Page<One>>
  /** One webhook, without its secrets. Rejects with `RecordNotFound`. */
  readonly get: (webhookId: string, options?: CallOptions) => Promise<One>
  /**
   * Creates a webhook and its secret. The webhook gets the events from now on. Rejects with `InvalidArgument` when a field is not valid, and with
   * `TooManyRecords` when the project has 50 webhooks.
   */
  readonly create: (input: CreateWebhookInput, options?: CallOptions) => Promise<WebhookSecret<One>>
  /** Changes the given fields of a webhook. The field `status` disables the webhook or enables it again. Rejects with `RecordNotFound`. */
  readonly update: (webhookId: string, input: UpdateWebhookInput, options?: CallOptions) => Promise<One>
  /** Deletes a webhook. Its pending event deliveries fail. Rejects with `RecordNotFound`. */
  readonly delete: (webhookId: string, options?: CallOptions) => Promise<void>
  /** Creates a new secret. The previous secret also signs for 24 h. Rejects with `RecordNotFound`. */
  readonly rotateSecret: (webhookId: string, options?: CallOptions) => Promise<WebhookSecret<One>>
  /**
   * Sends an event of the kind `webhook.test` once and resolves within 15 s. Stores nothing. Rejects with `RecordNotFound`, and with `RateLimited`
   * while other tests are under way.
   */
  readonly test: (webhookId: string, options?: CallOptions) => Promise<WebhookTestResult>
  /** One page of the event deliveries of the webhook, newest first. Rejects with `RecordNotFound`. */
  readonly listEventDeliveries: (
    webhookId: string,
    input?: CursorInput,
    options?: CallOptions
  ) => Promise<CursorPage<Delivery>>
  /** All event deliveries of the webhook, newest first. */
  readonly eachEventDelivery: (webhookId: string, options?: CallOptions) => AsyncIterable<Delivery>
  /**
   * Sends the event of an event delivery now, and begins its retry schedule again. The event delivery has ended, or waits for a later attempt. One
   * that is due or is being sent does not change. Rejects with `RecordNotFound`, also when its event has been deleted.
   */
  readonly replay: (webhookId: string, eventDeliveryId: string, options?: CallOptions) => Promise<Delivery>
}
