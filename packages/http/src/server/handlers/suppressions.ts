/**
 * The endpoints of suppressions.
 */
import { Suppressions } from "@mailkeep/core"
import { decoder } from "@mailkeep/core/binding"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailApi } from "../../api/MailApi.ts"
import { AddSuppressionBody } from "../../api/Suppressions.ts"
import { asPrincipal, searchOf, success, withBody } from "../handlerResponse.ts"
import { suppressionView } from "../contactViews.ts"

const parseAddSuppression = decoder(AddSuppressionBody)

export const suppressions = HttpApiBuilder.group(
  MailApi,
  "suppressions",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Suppressions
    return handlers
      .handle("list", ({ query }) =>
        asPrincipal((principal) =>
          Effect.map(
            service.list(principal, { ...query, search: searchOf(query.search?.trim()) }),
            ({ items, ...page }) => ({
              message: "Email suppressions fetched",
              data: { items: items.map(suppressionView), ...page }
            })
          )
        )
      )
      .handleRaw("add", ({ request }) =>
        withBody(request, parseAddSuppression, (principal, { email, reason }) =>
          Effect.map(service.addReason(principal, email, reason), (added) => ({ data: suppressionView(added) }))
        )
      )
      .handle("remove", ({ params }) =>
        asPrincipal((principal) => Effect.as(service.delete(principal, params.email), success))
      )
  })
)
