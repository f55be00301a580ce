/**
 * The endpoints of the delivery log.
 */
import { DeliveryLog } from "@mailkeep/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailApi } from "../../api/MailApi.ts"
import { asPrincipal } from "../handlerResponse.ts"
import { deliverySummaryView, deliveryView } from "../deliveryViews.ts"

/** The total is known only when the first page is also the last page. Source: docs/spec/clarifications.md W5. */
const totalOf = (items: ReadonlyArray<unknown>, cursor: string | undefined, hasMore: boolean): number | null =>
  cursor === undefined && !hasMore ? items.length : null

export const logs = HttpApiBuilder.group(
  MailApi,
  "logs",
  Effect.fnUntraced(function* (handlers) {
    const log = yield* DeliveryLog
    return handlers
      .handle("list", ({ query }) =>
        asPrincipal((principal) =>
          Effect.map(log.list(principal, query), ({ items, ...page }) => ({
            message: "Email logs fetched",
            data: { items: items.map(deliverySummaryView), total: totalOf(items, query.cursor, page.hasMore), ...page }
          }))
        )
      )
      .handle("get", ({ params }) =>
        asPrincipal((principal) => Effect.map(log.get(principal, params.deliveryId), deliveryView))
      )
  })
)
