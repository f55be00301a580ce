/**
 * The endpoints of templates.
 */
import type { PreviewTemplateInput } from "@mailkeep/core"
import { Templates } from "@mailkeep/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailApi } from "../../api/MailApi.ts"
import { inProject, searchOf, success, withBody, withJson } from "../handlerResponse.ts"
import { parseCreateTemplate, parseUpdateTemplate, templateInput, templateNames } from "../templateInputs.ts"
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
        inProject((projectId) =>
          Effect.map(
            service.list(projectId, { page, limit, status, category, search: searchOf(search) }),
            ({ items, ...found }) => ({
              message: "Email templates fetched",
              data: { items: items.map(templateSummaryView), ...found }
            })
          )
        )
      )
      .handleRaw("create", ({ request }) =>
        withBody(request, parseCreateTemplate, (projectId, body) =>
          Effect.map(service.create(projectId, templateInput(body)), (one) => ({ data: templateView(one) })).pipe(
            withNames
          )
        )
      )
      .handle("get", ({ params }) =>
        inProject((projectId) => Effect.map(service.get(projectId, params.id), (one) => ({ data: templateView(one) })))
      )
      .handleRaw("update", ({ request, params }) =>
        withBody(request, parseUpdateTemplate, (projectId, body) =>
          Effect.map(service.update(projectId, params.id, templateInput(body)), (one) => ({
            data: templateView(one)
          })).pipe(withNames)
        )
      )
      .handle("archive", ({ params }) =>
        inProject((projectId) => Effect.as(service.archive(projectId, params.id), success))
      )
      .handle("variables", ({ params }) =>
        inProject((projectId) =>
          Effect.map(service.listVariables(projectId, params.id), (items) => ({ data: items.map(variableView) }))
        )
      )
      .handle("versions", ({ params, query }) =>
        inProject((projectId) =>
          Effect.map(service.listVersions(projectId, params.id, query), (items) => ({
            message: "Email template versions fetched",
            data: items.map(versionItemView)
          }))
        )
      )
      .handle("publish", ({ params }) =>
        inProject((projectId) =>
          Effect.map(service.publish(projectId, params.id), (one) => ({ data: templateView(one) })).pipe(withNames)
        )
      )
      .handleRaw("preview", ({ request, params }) =>
        withJson(request, (projectId, body: PreviewTemplateInput) =>
          Effect.map(service.preview(projectId, params.id, body), (data) => ({ data })).pipe(withNames)
        )
      )
  })
)
