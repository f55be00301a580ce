/**
 * The endpoints of the delivery log.
 */
import { DeliveryLog } from "@mailkeep/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailApi } from "../../api/MailApi.ts"
import { inProject } from "../handlerResponse.ts"
import { deliverySummaryView, deliveryView } from "../views.ts"

export const logs = HttpApiBuilder.group(
  MailApi,
  "logs",
  Effect.fnUntraced(function* (handlers) {
    const log = yield* DeliveryLog
    return handlers
      .handle("list", ({ query }) =>
        inProject((projectId) =>
          Effect.map(log.list(projectId, query), ({ items, ...page }) => ({
            message: "Email logs fetched",
            data: { items: items.map(deliverySummaryView), ...page }
          }))
        )
      )
      .handle("get", ({ params }) =>
        inProject((projectId) => Effect.map(log.get(projectId, params.deliveryId), deliveryView))
      )
  })
)
