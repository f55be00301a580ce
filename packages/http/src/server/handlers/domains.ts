/**
 * The endpoints of sender domains.
 */
import { Domains } from "@mailkeep/core"
import { decoder } from "@mailkeep/core/binding"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AddDomainBody } from "../../api/Domains.ts"
import { MailApi } from "../../api/MailApi.ts"
import { asPrincipal, bodyOf, searchOf, success } from "../handlerResponse.ts"
import { domainView } from "../domainViews.ts"

const parseAddDomain = decoder(AddDomainBody)

export const domains = HttpApiBuilder.group(
  MailApi,
  "domains",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Domains
    return handlers
      .handle("list", ({ query }) =>
        asPrincipal((principal) =>
          Effect.map(service.list(principal, { ...query, search: searchOf(query.search) }), ({ items, ...page }) => ({
            message: "Email domains fetched",
            data: { items: items.map(domainView), ...page }
          }))
        )
      )
      .handleRaw("add", ({ request }) =>
        asPrincipal((principal) =>
          bodyOf(request, parseAddDomain).pipe(
            Effect.flatMap(({ domain }) => service.create(principal, { domain })),
            Effect.map((one) => ({ data: domainView(one) }))
          )
        )
      )
      .handle("get", ({ params }) =>
        asPrincipal((principal) =>
          Effect.map(service.get(principal, params.id), (one) => ({
            message: "Email domain details fetched",
            data: domainView(one)
          }))
        )
      )
      .handle("remove", ({ params }) =>
        asPrincipal((principal) => Effect.as(service.delete(principal, params.id), success))
      )
      .handle("verify", ({ params }) =>
        asPrincipal((principal) =>
          Effect.map(service.verify(principal, params.id), (one) => ({ data: domainView(one) }))
        )
      )
  })
)
