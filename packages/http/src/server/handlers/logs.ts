/**
 * The endpoints of the delivery log.
 */
import { DeliveryLog, parseAddress } from "@mailkeep/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailApi } from "../../api/MailApi.ts"
import { inProject, searchOf } from "../answering.ts"
import { deliverySummaryView, deliveryView } from "../views.ts"

export const logs = HttpApiBuilder.group(
  MailApi,
  "logs",
  Effect.fnUntraced(function* (handlers) {
    const log = yield* DeliveryLog
    return handlers
      .handle("list", ({ query }) =>
        inProject((projectId) =>
          Effect.gen(function* () {
            const recipient = query.recipient ?? null
            const { items, ...page } = yield* log.page(
              projectId,
              {
                status: query.status ?? null,
                source: query.source ?? null,
                // An invalid address matches no delivery, so it is passed on unchanged.
                address: recipient === null ? null : (parseAddress(recipient)?.canonical ?? recipient),
                search: searchOf(query.search),
                contactId: query.contactId ?? null,
                templateId: query.templateId ?? null,
                startDate: query.startDate ?? null,
                endDate: query.endDate ?? null
              },
              { limit: query.limit, cursor: query.cursor ?? null }
            )
            return { message: "Email logs fetched", data: { items: items.map(deliverySummaryView), ...page } }
          })
        )
      )
      .handle("get", ({ params }) =>
        inProject((projectId) => Effect.map(log.get(projectId, params.deliveryId), deliveryView))
      )
  })
)
