/**
 * The endpoints of webhooks.
 */
import { parseCreateWebhook, parseUpdateWebhook, Webhooks } from "@mailkeep/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailApi } from "../../api/MailApi.ts"
import { inProject, success, withBody } from "../answering.ts"
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
          Effect.map(service.page(projectId, query), ({ items, ...page }) => ({
            message: "Email webhooks fetched",
            data: { items: items.map(webhookView), ...page }
          }))
        )
      )
      .handleRaw("create", ({ request }) =>
        withBody(request, parseCreateWebhook, (projectId, body) =>
          Effect.map(service.create(projectId, body), (created) => ({ data: webhookWithSecretView(created) })).pipe(
            Effect.tap(holdsSecret)
          )
        )
      )
      .handle("get", ({ params }) =>
        inProject((projectId) => Effect.map(service.get(projectId, params.id), (one) => ({ data: webhookView(one) })))
      )
      .handleRaw("update", ({ request, params }) =>
        withBody(request, parseUpdateWebhook, (projectId, body) =>
          Effect.map(service.update(projectId, params.id, body), (one) => ({ data: webhookView(one) }))
        )
      )
      .handle("remove", ({ params }) =>
        inProject((projectId) => Effect.as(service.remove(projectId, params.id), success))
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
      .handle("deliveries", ({ params, query: { limit, cursor = null } }) =>
        inProject((projectId) =>
          Effect.map(service.eventDeliveries(projectId, params.id, { limit, cursor }), ({ items, ...page }) => ({
            message: "Email webhook deliveries fetched",
            data: { items: items.map(webhookDeliveryView), ...page }
          }))
        )
      )
      .handle("replay", ({ params }) =>
        inProject((projectId) =>
          Effect.map(service.replay(projectId, params.id, params.deliveryId), (eventDelivery) => ({
            data: webhookDeliveryView(eventDelivery)
          }))
        )
      )
  })
)
