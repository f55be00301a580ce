/**
 * The endpoints of templates.
 */
import type { CreateTemplate, PreviewTemplate, UpdateTemplate } from "@mailkeep/core"
import { Templates } from "@mailkeep/core"
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailApi } from "../../api/MailApi.ts"
import { inProject, searchOf, success, withBody } from "../answering.ts"
import { templateSummaryView, templateView, variableView, versionItemView } from "../templateViews.ts"

/** Passes the body on without a check, because the service checks it. */
const unchecked = <A>(body: unknown) => Result.succeed(body as A)

export const templates = HttpApiBuilder.group(
  MailApi,
  "templates",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Templates
    return handlers
      .handle("list", ({ query: { page, limit, ...query } }) =>
        inProject((projectId) =>
          Effect.map(
            service.page(
              projectId,
              { status: query.status ?? null, search: searchOf(query.search), category: query.category ?? null },
              { page, limit }
            ),
            ({ items, ...found }) => ({
              message: "Email templates fetched",
              data: { items: items.map(templateSummaryView), ...found }
            })
          )
        )
      )
      .handleRaw("create", ({ request }) =>
        withBody(request, unchecked<CreateTemplate>, (projectId, body) =>
          Effect.map(service.create(projectId, body), (one) => ({ data: templateView(one) }))
        )
      )
      .handle("get", ({ params }) =>
        inProject((projectId) => Effect.map(service.get(projectId, params.id), (one) => ({ data: templateView(one) })))
      )
      .handleRaw("update", ({ request, params }) =>
        withBody(request, unchecked<UpdateTemplate>, (projectId, body) =>
          Effect.map(service.update(projectId, params.id, body), (one) => ({ data: templateView(one) }))
        )
      )
      .handle("archive", ({ params }) =>
        inProject((projectId) => Effect.as(service.archive(projectId, params.id), success))
      )
      .handle("variables", ({ params }) =>
        inProject((projectId) =>
          Effect.map(service.variables(projectId, params.id), (items) => ({ data: items.map(variableView) }))
        )
      )
      .handle("versions", ({ params, query: { limit, beforeVersion = null } }) =>
        inProject((projectId) =>
          Effect.map(service.versions(projectId, params.id, { limit, beforeVersion }), (items) => ({
            message: "Email template versions fetched",
            data: items.map(versionItemView)
          }))
        )
      )
      .handle("publish", ({ params }) =>
        inProject((projectId) =>
          Effect.map(service.publish(projectId, params.id), (one) => ({ data: templateView(one) }))
        )
      )
      .handleRaw("preview", ({ request, params }) =>
        withBody(request, unchecked<PreviewTemplate>, (projectId, body) =>
          Effect.map(service.preview(projectId, params.id, body), (data) => ({ data }))
        )
      )
  })
)
