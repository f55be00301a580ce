/**
 * Webhooks and their event deliveries. Source: decision 0028.
 */
import {
  CreateWebhookBody,
  eventKinds,
  eventDeliveryStatuses,
  UpdateWebhookBody,
  webhookStatuses
} from "@mailkeep/core/binding"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Bearer, RequiredPermission, WellFormed } from "./Access.ts"
import { bodyRefusals, ConflictBody, NotFoundBody, TooManyRequestsBody } from "./Failures.ts"
import { cursorPageOf, pageOf, responseOf, SuccessBody, TextOrNull } from "./Page.ts"
import { Cursor, idParams, jsonRequest, Limit, noQuery, PageNumber } from "./Parameters.ts"

export const WebhookBody = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  events: Schema.Array(Schema.Literals(eventKinds)),
  description: Schema.String,
  status: Schema.Literals(webhookStatuses),
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "Webhook" })
const OneWebhook = responseOf(WebhookBody, "WebhookResponse")

export const WebhookWithSecretBody = Schema.Struct({ ...WebhookBody.fields, secret: Schema.String }).annotate({
  identifier: "WebhookWithSecret",
  description: "This is the only response that shows the secret."
})
const OneWithSecret = responseOf(WebhookWithSecretBody, "WebhookWithSecretResponse")

export const WebhookDeliveryBody = Schema.Struct({
  id: Schema.String,
  event_id: Schema.String,
  event_type: Schema.Literals(eventKinds),
  status: Schema.Literals(eventDeliveryStatuses),
  attempts: Schema.Array(
    Schema.Struct({
      at: Schema.String,
      status_code: Schema.NullOr(Schema.Int),
      error: TextOrNull,
      duration_ms: Schema.Int
    })
  ),
  next_attempt_at: TextOrNull,
  ended_at: TextOrNull,
  created_at: Schema.String
}).annotate({ identifier: "WebhookDelivery" })

export const WebhookTestBody = Schema.Struct({
  delivered: Schema.Boolean,
  status_code: Schema.NullOr(Schema.Int),
  error: TextOrNull
}).annotate({ identifier: "WebhookTest" })

export class Webhooks extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("list", "/emails/webhooks", {
      query: { page: PageNumber, limit: Limit },
      success: pageOf(WebhookBody, "ListWebhooksResponse")
    }).annotateMerge(OpenApi.annotations({ summary: "List webhooks" })),
    HttpApiEndpoint.post("create", "/emails/webhooks", {
      ...jsonRequest,
      payload: CreateWebhookBody,
      success: OneWithSecret,
      error: [ConflictBody, ...bodyRefusals]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Create a webhook",
        description:
          "Without `events` the webhook gets email.delivered, email.bounced, email.failed and contact.unsubscribed."
      })
    ),
    HttpApiEndpoint.get("get", "/emails/webhooks/:id", {
      params: idParams,
      query: noQuery,
      success: OneWebhook,
      error: NotFoundBody
    }).annotateMerge(OpenApi.annotations({ summary: "Get a webhook" })),
    HttpApiEndpoint.patch("update", "/emails/webhooks/:id", {
      ...jsonRequest,
      params: idParams,
      payload: UpdateWebhookBody,
      success: OneWebhook,
      error: [NotFoundBody, ...bodyRefusals]
    }).annotateMerge(OpenApi.annotations({ summary: "Change a webhook, disable it, or enable it again" })),
    HttpApiEndpoint.delete("remove", "/emails/webhooks/:id", {
      params: idParams,
      query: noQuery,
      success: SuccessBody,
      error: NotFoundBody
    }).annotateMerge(OpenApi.annotations({ summary: "Delete a webhook" })),
    HttpApiEndpoint.post("rotateSecret", "/emails/webhooks/:id/rotate-secret", {
      params: idParams,
      query: noQuery,
      success: OneWithSecret,
      error: NotFoundBody
    }).annotateMerge(OpenApi.annotations({ summary: "Make a new secret; the previous one also signs for 24 hours" })),
    HttpApiEndpoint.post("test", "/emails/webhooks/:id/test", {
      params: idParams,
      query: noQuery,
      success: responseOf(WebhookTestBody, "WebhookTestResponse"),
      error: [NotFoundBody, TooManyRequestsBody]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Send a test event now, once",
        description:
          "Answers within 15 s. Refused while a test of this webhook, or four tests of the project, are running."
      })
    ),
    HttpApiEndpoint.get("deliveries", "/emails/webhooks/:id/deliveries", {
      params: idParams,
      query: { limit: Limit, cursor: Cursor },
      success: cursorPageOf(WebhookDeliveryBody, "ListWebhookDeliveriesResponse"),
      error: NotFoundBody
    }).annotateMerge(OpenApi.annotations({ summary: "List the event deliveries, newest first" })),
    HttpApiEndpoint.post("replay", "/emails/webhooks/:id/deliveries/:eventDeliveryId/replay", {
      params: { ...idParams, eventDeliveryId: Schema.String },
      query: noQuery,
      success: responseOf(WebhookDeliveryBody, "WebhookDeliveryResponse"),
      error: NotFoundBody
    }).annotateMerge(OpenApi.annotations({ summary: "Replay an event delivery: send its event again" }))
  )
  .annotateEndpoints(RequiredPermission, "email.full_access")
  .middleware(WellFormed)
  .middleware(Bearer) {}
