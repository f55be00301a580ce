/**
 * The endpoints of suppressions.
 */
import { Suppressions } from "@mailkeep/core"
import { decoder } from "@mailkeep/core/binding"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailApi } from "../../api/MailApi.ts"
import { AddSuppressionBody } from "../../api/Suppressions.ts"
import { inProject, searchOf, success, withBody } from "../handlerResponse.ts"
import { suppressionView } from "../contactViews.ts"

const parseAddSuppression = decoder(AddSuppressionBody)

export const suppressions = HttpApiBuilder.group(
  MailApi,
  "suppressions",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Suppressions
    return handlers
      .handle("list", ({ query }) =>
        inProject((projectId) =>
          Effect.map(
            service.list(projectId, { ...query, search: searchOf(query.search?.trim()) }),
            ({ items, ...page }) => ({
              message: "Email suppressions fetched",
              data: { items: items.map(suppressionView), ...page }
            })
          )
        )
      )
      .handleRaw("add", ({ request }) =>
        withBody(request, parseAddSuppression, (projectId, { email, reason }) =>
          Effect.map(service.addReason(projectId, email, reason), (added) => ({ data: suppressionView(added) }))
        )
      )
      .handle("remove", ({ params }) =>
        inProject((projectId) => Effect.as(service.delete(projectId, params.email), success))
      )
  })
)
