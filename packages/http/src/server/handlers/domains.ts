/**
 * The endpoints of sender domains.
 */
import { Domains, parseAddDomain } from "@mailkeep/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailApi } from "../../api/MailApi.ts"
import { asPrincipal, bodyOf, searchOf, success } from "../answering.ts"
import { domainView } from "../views.ts"

export const domains = HttpApiBuilder.group(
  MailApi,
  "domains",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Domains
    return handlers
      .handle("list", ({ query }) =>
        asPrincipal((principal) =>
          Effect.map(
            service.page(
              principal,
              { page: query.page, limit: query.limit },
              { status: query.status ?? null, search: searchOf(query.search) }
            ),
            ({ items, ...page }) => ({
              message: "Email domains fetched",
              data: { items: items.map(domainView), ...page }
            })
          )
        )
      )
      .handleRaw("add", ({ request }) =>
        asPrincipal((principal) =>
          bodyOf(request, parseAddDomain).pipe(
            Effect.flatMap(({ domain }) => service.add(principal, { domain, verified: false })),
            Effect.map((one) => ({ data: domainView(one) }))
          )
        )
      )
      .handle("get", ({ params }) =>
        asPrincipal((principal) => Effect.map(service.get(principal, params.id), (one) => ({ data: domainView(one) })))
      )
      .handle("remove", ({ params }) =>
        asPrincipal((principal) => Effect.as(service.remove(principal, params.id), success))
      )
      .handle("verify", ({ params }) =>
        asPrincipal((principal) =>
          Effect.map(service.verify(principal, params.id), (one) => ({ data: domainView(one) }))
        )
      )
  })
)
