/**
 * The endpoints of templates.
 */
import { Templates } from "@mailkeep/core"
import { parsePreviewTemplate } from "@mailkeep/core/binding"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { templateNames } from "../../api/fieldNames.ts"
import { MailApi } from "../../api/MailApi.ts"
import { asPrincipal, searchOf, success, withBody } from "../handlerResponse.ts"
import { parseCreateTemplate, parseUpdateTemplate, templateInput } from "../templateInputs.ts"
import { templateSummaryView, templateView, variableView, versionItemView } from "../templateViews.ts"
import { withWireNames } from "../wireNames.ts"

export const templates = HttpApiBuilder.group(
  MailApi,
  "templates",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Templates
    const withNames = withWireNames(templateNames)
    return handlers
      .handle("list", ({ query: { page, limit, status, category, search } }) =>
        asPrincipal((principal) =>
          Effect.map(
            service.list(principal, { page, limit, status, category, search: searchOf(search) }),
            ({ items, ...found }) => ({
              message: "Email templates fetched",
              data: { items: items.map(templateSummaryView), ...found }
            })
          )
        )
      )
      .handleRaw("create", ({ request }) =>
        withBody(request, parseCreateTemplate, (principal, body) =>
          Effect.map(service.create(principal, templateInput(body)), (one) => ({ data: templateView(one) })).pipe(
            withNames
          )
        )
      )
      .handle("get", ({ params }) =>
        asPrincipal((principal) =>
          Effect.map(service.get(principal, params.id), (one) => ({ data: templateView(one) }))
        )
      )
      .handleRaw("update", ({ request, params }) =>
        withBody(request, parseUpdateTemplate, (principal, body) =>
          Effect.map(service.update(principal, params.id, templateInput(body)), (one) => ({
            data: templateView(one)
          })).pipe(withNames)
        )
      )
      .handle("archive", ({ params }) =>
        asPrincipal((principal) => Effect.as(service.archive(principal, params.id), success))
      )
      .handle("variables", ({ params }) =>
        asPrincipal((principal) =>
          Effect.map(service.listVariables(principal, params.id), (items) => ({ data: items.map(variableView) }))
        )
      )
      .handle("versions", ({ params, query }) =>
        asPrincipal((principal) =>
          Effect.map(service.listVersions(principal, params.id, query), (items) => ({
            message: "Email template versions fetched",
            data: items.map(versionItemView)
          }))
        )
      )
      .handle("publish", ({ params }) =>
        asPrincipal((principal) =>
          Effect.map(service.publish(principal, params.id), (one) => ({ data: templateView(one) })).pipe(withNames)
        )
      )
      .handleRaw("preview", ({ request, params }) =>
        withBody(request, parsePreviewTemplate, (principal, body) =>
          Effect.map(service.preview(principal, params.id, body), (data) => ({ data })).pipe(withNames)
        )
      )
  })
)
