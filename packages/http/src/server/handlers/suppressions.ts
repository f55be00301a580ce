/**
 * The endpoints of suppressions.
 */
import { parseAddSuppression, Suppressions } from "@mailkeep/core"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailApi } from "../../api/MailApi.ts"
import { inProject, searchOf, success, withBody } from "../answering.ts"
import { suppressionView } from "../views.ts"

export const suppressions = HttpApiBuilder.group(
  MailApi,
  "suppressions",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Suppressions
    return handlers
      .handle("list", ({ query }) =>
        inProject((projectId) =>
          Effect.gen(function* () {
            const position = { limit: query.limit, cursor: query.cursor ?? null }
            const { items, ...page } = yield* service.page(projectId, searchOf(query.search?.trim()), position)
            const now = yield* Clock.currentTimeMillis
            return {
              message: "Email suppressions fetched",
              data: { items: items.map((one) => suppressionView(one, now)), ...page }
            }
          })
        )
      )
      .handleRaw("add", ({ request }) =>
        withBody(request, parseAddSuppression, (projectId, { email, reason }) =>
          Effect.gen(function* () {
            const added = yield* service.add(projectId, email, reason)
            return { data: suppressionView(added!, yield* Clock.currentTimeMillis) }
          })
        )
      )
      .handle("remove", ({ params }) =>
        inProject((projectId) => Effect.as(service.remove(projectId, params.email), success))
      )
  })
)
