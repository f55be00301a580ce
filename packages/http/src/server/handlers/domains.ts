/**
 * Sender domains over `Domains`.
 */
import { Domains, parseAddDomain } from "@mailkeep/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailApi } from "../../api/MailApi.ts"
import { inProject, success, withBody } from "../answering.ts"
import { domainView } from "../views.ts"

export const domains = HttpApiBuilder.group(
  MailApi,
  "domains",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Domains
    return handlers
      .handle("list", ({ query }) =>
        inProject((projectId) =>
          Effect.map(service.page(projectId, query), ({ items, ...page }) => ({
            message: "Email domains fetched",
            data: { items: items.map(domainView), ...page }
          }))
        )
      )
      .handleRaw("add", ({ request }) =>
        withBody(request, parseAddDomain, (projectId, { domain }) =>
          Effect.map(service.add(projectId, { domain, verified: false }), (one) => ({ data: domainView(one) }))
        )
      )
      .handle("get", ({ params }) =>
        inProject((projectId) => Effect.map(service.get(projectId, params.id), (one) => ({ data: domainView(one) })))
      )
      .handle("remove", ({ params }) =>
        inProject((projectId) => Effect.as(service.remove(projectId, params.id), success))
      )
      .handle("verify", ({ params }) =>
        inProject((projectId) => Effect.map(service.verify(projectId, params.id), (one) => ({ data: domainView(one) })))
      )
  })
)
