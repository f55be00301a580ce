/**
 * The endpoints of webhooks.
 */
import type { CreateWebhookInput, UpdateWebhookInput } from "@mailkeep/core"
import { Webhooks } from "@mailkeep/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailApi } from "../../api/MailApi.ts"
import { asPrincipal, success, withJson } from "../handlerResponse.ts"
import { RequestScope } from "../RequestScope.ts"
import { webhookDeliveryView, webhookTestView, webhookView, webhookWithSecretView } from "../webhookViews.ts"

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
        asPrincipal((principal) =>
          Effect.map(service.list(principal, query), ({ items, ...page }) => ({
            message: "Email webhooks fetched",
            data: { items: items.map(webhookView), ...page }
          }))
        )
      )
      .handleRaw("create", ({ request }) =>
        withJson(request, (principal, body: CreateWebhookInput) =>
          Effect.map(service.create(principal, body), (created) => ({ data: webhookWithSecretView(created) })).pipe(
            Effect.tap(holdsSecret)
          )
        )
      )
      .handle("get", ({ params }) =>
        asPrincipal((principal) => Effect.map(service.get(principal, params.id), (one) => ({ data: webhookView(one) })))
      )
      .handleRaw("update", ({ request, params }) =>
        withJson(request, (principal, body: UpdateWebhookInput) =>
          Effect.map(service.update(principal, params.id, body), (one) => ({ data: webhookView(one) }))
        )
      )
      .handle("remove", ({ params }) =>
        asPrincipal((principal) => Effect.as(service.delete(principal, params.id), success))
      )
      .handle("rotateSecret", ({ params }) =>
        asPrincipal((principal) =>
          Effect.map(service.rotateSecret(principal, params.id), (created) => ({
            data: webhookWithSecretView(created)
          })).pipe(Effect.tap(holdsSecret))
        )
      )
      .handle("test", ({ params }) =>
        asPrincipal((principal) =>
          Effect.map(service.test(principal, params.id), (result) => ({ data: webhookTestView(result) }))
        )
      )
      .handle("deliveries", ({ params, query }) =>
        asPrincipal((principal) =>
          Effect.map(service.listEventDeliveries(principal, params.id, query), ({ items, ...page }) => ({
            message: "Email webhook deliveries fetched",
            data: { items: items.map(webhookDeliveryView), ...page }
          }))
        )
      )
      .handle("replay", ({ params }) =>
        asPrincipal((principal) =>
          Effect.map(service.replay(principal, params.id, params.eventDeliveryId), (replayed) => ({
            data: webhookDeliveryView(replayed)
          }))
        )
      )
  })
)
