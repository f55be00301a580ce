/**
 * The endpoints of webhooks.
 */
import type { CreateWebhookInput, UpdateWebhookInput } from "@mailkeep/core"
import { Webhooks } from "@mailkeep/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailApi } from "../../api/MailApi.ts"
import { inProject, success, withJson } from "../handlerResponse.ts"
import { RequestScope } from "../RequestScope.ts"
import { webhookDeliveryView, webhookTestView, webhookView, webhookWithSecretView } from "../views.ts"

/**
 * The response holds a secret. No cache may keep it, and compression is off because the compressed length would leak information. Source:
 * decision 0032.
 */
const holdsSecret = Effect.map(RequestScope, ({ responseHeaders }) => {
  responseHeaders["cache-control"] = "no-store, no-transform"
})

export const webhooks = HttpApiBuilder.group(
  MailApi,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Webhooks
    return handlers
      .handle("list", ({ query }) =>
        inProject((projectId) =>
          Effect.map(service.list(projectId, query), ({ items, ...page }) => ({
            message: "Email webhooks fetched",
            data: { items: items.map(webhookView), ...page }
          }))
        )
      )
      .handleRaw("create", ({ request }) =>
        withJson(request, (projectId, body: CreateWebhookInput) =>
          Effect.map(service.create(projectId, body), (created) => ({ data: webhookWithSecretView(created) })).pipe(
            Effect.tap(holdsSecret)
          )
        )
      )
      .handle("get", ({ params }) =>
        inProject((projectId) => Effect.map(service.get(projectId, params.id), (one) => ({ data: webhookView(one) })))
      )
      .handleRaw("update", ({ request, params }) =>
        withJson(request, (projectId, body: UpdateWebhookInput) =>
          Effect.map(service.update(projectId, params.id, body), (one) => ({ data: webhookView(one) }))
        )
      )
      .handle("remove", ({ params }) =>
        inProject((projectId) => Effect.as(service.delete(projectId, params.id), success))
      )
      .handle("rotateSecret", ({ params }) =>
        inProject((projectId) =>
          Effect.map(service.rotateSecret(projectId, params.id), (created) => ({
            data: webhookWithSecretView(created)
          })).pipe(Effect.tap(holdsSecret))
        )
      )
      .handle("test", ({ params }) =>
        inProject((projectId) =>
          Effect.map(service.test(projectId, params.id), (result) => ({ data: webhookTestView(result) }))
        )
      )
      .handle("deliveries", ({ params, query }) =>
        inProject((projectId) =>
          Effect.map(service.listEventDeliveries(projectId, params.id, query), ({ items, ...page }) => ({
            message: "Email webhook deliveries fetched",
            data: { items: items.map(webhookDeliveryView), ...page }
          }))
        )
      )
      .handle("replay", ({ params }) =>
        inProject((projectId) =>
          Effect.map(service.replay(projectId, params.id, params.deliveryId), (replayed) => ({
            data: webhookDeliveryView(replayed)
          }))
        )
      )
  })
)
