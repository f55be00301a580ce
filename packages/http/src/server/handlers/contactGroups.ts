/**
 * The endpoints of properties, lists and segments.
 */
import type {
  CreateList,
  CreateProperty,
  CreateSegment,
  UpdateList,
  UpdateProperty,
  UpdateSegment
} from "@mailkeep/core"
import { ContactLists, Properties, Segments } from "@mailkeep/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailApi } from "../../api/MailApi.ts"
import { inProject, success, withJson } from "../answering.ts"
import { listView, propertyView, segmentView } from "../views.ts"

export const properties = HttpApiBuilder.group(
  MailApi,
  "properties",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Properties
    return handlers
      .handle("list", () =>
        inProject((projectId) => Effect.map(service.list(projectId), (items) => ({ data: items.map(propertyView) })))
      )
      .handleRaw("create", ({ request }) =>
        withJson(request, (projectId, body: CreateProperty) =>
          Effect.map(service.create(projectId, body), (created) => ({ data: propertyView(created) }))
        )
      )
      .handleRaw("update", ({ request, params }) =>
        withJson(request, (projectId, body: UpdateProperty) =>
          Effect.map(service.update(projectId, params.id, body), (created) => ({ data: propertyView(created) }))
        )
      )
      .handle("remove", ({ params }) =>
        inProject((projectId) => Effect.as(service.remove(projectId, params.id), success))
      )
  })
)

export const lists = HttpApiBuilder.group(
  MailApi,
  "lists",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* ContactLists
    return handlers
      .handle("list", ({ query }) =>
        inProject((projectId) =>
          Effect.map(service.page(projectId, query), ({ items, ...page }) => ({
            message: "Email lists fetched",
            data: { items: items.map(listView), ...page }
          }))
        )
      )
      .handleRaw("create", ({ request }) =>
        withJson(request, (projectId, body: CreateList) =>
          Effect.map(service.create(projectId, body), (created) => ({ data: listView(created) }))
        )
      )
      .handle("get", ({ params }) =>
        inProject((projectId) => Effect.map(service.get(projectId, params.id), (one) => ({ data: listView(one) })))
      )
      .handleRaw("update", ({ request, params }) =>
        withJson(request, (projectId, body: UpdateList) =>
          Effect.map(service.update(projectId, params.id, body), (one) => ({ data: listView(one) }))
        )
      )
      .handle("remove", ({ params }) =>
        inProject((projectId) => Effect.as(service.remove(projectId, params.id), success))
      )
      .handle("putContact", ({ params }) =>
        inProject((projectId) => Effect.as(service.addContact(projectId, params.id, params.contactId), success))
      )
      .handle("removeContact", ({ params }) =>
        inProject((projectId) => Effect.as(service.removeContact(projectId, params.id, params.contactId), success))
      )
  })
)

export const segments = HttpApiBuilder.group(
  MailApi,
  "segments",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Segments
    return handlers
      .handle("list", ({ query }) =>
        inProject((projectId) =>
          Effect.map(service.page(projectId, query), ({ items, ...page }) => ({
            message: "Email segments fetched",
            data: { items: items.map(segmentView), ...page }
          }))
        )
      )
      .handleRaw("create", ({ request }) =>
        withJson(request, (projectId, body: CreateSegment) =>
          Effect.map(service.create(projectId, body), (created) => ({ data: segmentView(created) }))
        )
      )
      .handle("get", ({ params }) =>
        inProject((projectId) => Effect.map(service.get(projectId, params.id), (one) => ({ data: segmentView(one) })))
      )
      .handleRaw("update", ({ request, params }) =>
        withJson(request, (projectId, body: UpdateSegment) =>
          Effect.map(service.update(projectId, params.id, body), (one) => ({ data: segmentView(one) }))
        )
      )
      .handle("remove", ({ params }) =>
        inProject((projectId) => Effect.as(service.remove(projectId, params.id), success))
      )
  })
)
