/**
 * Sender domains over `Domains`.
 */
import { Domains } from "@mailkeep/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailApi } from "../../api/MailApi.ts"
import { inProject } from "../answering.ts"
import { domainView } from "../views.ts"

export const domains = HttpApiBuilder.group(
  MailApi,
  "domains",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Domains
    return handlers.handle("list", ({ query }) =>
      inProject((projectId) =>
        Effect.map(service.page(projectId, query), ({ items, ...page }) => ({
          message: "Email domains fetched",
          data: { items: items.map(domainView), ...page }
        }))
      )
    )
  })
)
