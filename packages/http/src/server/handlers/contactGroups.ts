/**
 * The endpoints of properties, lists and segments.
 */
import type {
  CreateContactListInput,
  CreateSegmentInput,
  UpdateContactListInput,
  UpdateSegmentInput
} from "@mailkeep/core"
import { ContactLists, Properties, Segments } from "@mailkeep/core"
import { decoder } from "@mailkeep/core/binding"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CreatePropertyBody, UpdatePropertyBody } from "../../api/ContactGroups.ts"
import { MailApi } from "../../api/MailApi.ts"
import { inProject, success, withBody, withJson } from "../handlerResponse.ts"
import { listView, propertyView, segmentView } from "../contactViews.ts"
import { withWireNames } from "../wireNames.ts"

const parseCreateProperty = decoder(CreatePropertyBody)
const parseUpdateProperty = decoder(UpdatePropertyBody)
/** The names of the request, by the names of the service. */
const propertyNames = { fallbackValue: "fallback_value" }

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
        withBody(request, parseCreateProperty, (projectId, { fallback_value: fallbackValue, ...body }) =>
          Effect.map(service.create(projectId, { ...body, fallbackValue }), (created) => ({
            data: propertyView(created)
          })).pipe(withWireNames(propertyNames))
        )
      )
      .handleRaw("update", ({ request, params }) =>
        withBody(request, parseUpdateProperty, (projectId, { fallback_value: fallbackValue, ...body }) =>
          Effect.map(service.update(projectId, params.id, { ...body, fallbackValue }), (updated) => ({
            data: propertyView(updated)
          })).pipe(withWireNames(propertyNames))
        )
      )
      .handle("remove", ({ params }) =>
        inProject((projectId) => Effect.as(service.delete(projectId, params.id), success))
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
          Effect.map(service.list(projectId, query), ({ items, ...page }) => ({
            message: "Email lists fetched",
            data: { items: items.map(listView), ...page }
          }))
        )
      )
      .handleRaw("create", ({ request }) =>
        withJson(request, (projectId, body: CreateContactListInput) =>
          Effect.map(service.create(projectId, body), (created) => ({ data: listView(created) }))
        )
      )
      .handle("get", ({ params }) =>
        inProject((projectId) => Effect.map(service.get(projectId, params.id), (one) => ({ data: listView(one) })))
      )
      .handleRaw("update", ({ request, params }) =>
        withJson(request, (projectId, body: UpdateContactListInput) =>
          Effect.map(service.update(projectId, params.id, body), (one) => ({ data: listView(one) }))
        )
      )
      .handle("remove", ({ params }) =>
        inProject((projectId) => Effect.as(service.delete(projectId, params.id), success))
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
          Effect.map(service.list(projectId, query), ({ items, ...page }) => ({
            message: "Email segments fetched",
            data: { items: items.map(segmentView), ...page }
          }))
        )
      )
      .handleRaw("create", ({ request }) =>
        withJson(request, (projectId, body: CreateSegmentInput) =>
          Effect.map(service.create(projectId, body), (created) => ({ data: segmentView(created) }))
        )
      )
      .handle("get", ({ params }) =>
        inProject((projectId) => Effect.map(service.get(projectId, params.id), (one) => ({ data: segmentView(one) })))
      )
      .handleRaw("update", ({ request, params }) =>
        withJson(request, (projectId, body: UpdateSegmentInput) =>
          Effect.map(service.update(projectId, params.id, body), (one) => ({ data: segmentView(one) }))
        )
      )
      .handle("remove", ({ params }) =>
        inProject((projectId) => Effect.as(service.delete(projectId, params.id), success))
      )
  })
)
