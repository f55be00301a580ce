/**
 * Converts webhooks, their event deliveries and their tests to the wire format.
 */
import type { Webhook, WebhookDelivery, WebhookTestResult, WebhookWithSecret } from "@mailkeep/core"
import { formatInstantOrNull } from "@mailkeep/core/binding"
import { formatInstant } from "@mailkeep/core"
import type { WebhookBody, WebhookDeliveryBody, WebhookWithSecretBody } from "../api/Webhooks.ts"
import { Redacted } from "effect"
import { timesView } from "./timesView.ts"

export const webhookView = (webhook: Webhook): typeof WebhookBody.Type => ({
  id: webhook.id,
  url: webhook.url,
  events: webhook.events,
  description: webhook.description,
  status: webhook.status,
  ...timesView(webhook)
})

export const webhookWithSecretView = ({ webhook, secret }: WebhookWithSecret): typeof WebhookWithSecretBody.Type => ({
  ...webhookView(webhook),
  secret: Redacted.value(secret)
})

export const webhookDeliveryView = (delivery: WebhookDelivery): typeof WebhookDeliveryBody.Type => ({
  id: delivery.id,
  event_id: delivery.eventId,
  event_type: delivery.eventKind,
  status: delivery.status,
  attempts: delivery.attempts.map(({ at, status, error, durationMillis }) => ({
    at: formatInstant(at),
    status_code: status,
    error,
    duration_ms: durationMillis
  })),
  next_attempt_at: formatInstantOrNull(delivery.nextAttemptAt),
  ended_at: formatInstantOrNull(delivery.endedAt),
  created_at: formatInstant(delivery.createdAt)
})

export const webhookTestView = ({ delivered, statusCode, error }: WebhookTestResult) => ({
  delivered,
  status_code: statusCode,
  error
})
