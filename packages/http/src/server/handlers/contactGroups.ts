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
import { decoder, fallbackIssues, withRules } from "@mailkeep/core/binding"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CreatePropertyBody, UpdatePropertyBody } from "../../api/ContactGroups.ts"
import { propertyNames } from "../../api/fieldNames.ts"
import { MailApi } from "../../api/MailApi.ts"
import { asPrincipal, success, withBody, withJson } from "../handlerResponse.ts"
import { listView, propertyView, segmentView } from "../contactViews.ts"
import { withWireNames } from "../wireNames.ts"

const issuesOfFallback = (body: unknown) => fallbackIssues(body, "fallback_value")
const parseCreateProperty = withRules(decoder(CreatePropertyBody), issuesOfFallback)
const parseUpdateProperty = withRules(decoder(UpdatePropertyBody), issuesOfFallback)

export const properties = HttpApiBuilder.group(
  MailApi,
  "properties",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Properties
    return handlers
      .handle("list", () =>
        asPrincipal((principal) => Effect.map(service.list(principal), (items) => ({ data: items.map(propertyView) })))
      )
      .handleRaw("create", ({ request }) =>
        withBody(request, parseCreateProperty, (principal, { fallback_value: fallbackValue, ...body }) =>
          Effect.map(service.create(principal, { ...body, fallbackValue }), (created) => ({
            data: propertyView(created)
          })).pipe(withWireNames(propertyNames))
        )
      )
      .handleRaw("update", ({ request, params }) =>
        withBody(request, parseUpdateProperty, (principal, { fallback_value: fallbackValue, ...body }) =>
          Effect.map(service.update(principal, params.id, { ...body, fallbackValue }), (updated) => ({
            data: propertyView(updated)
          })).pipe(withWireNames(propertyNames))
        )
      )
      .handle("remove", ({ params }) =>
        asPrincipal((principal) => Effect.as(service.delete(principal, params.id), success))
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
        asPrincipal((principal) =>
          Effect.map(service.list(principal, query), ({ items, ...page }) => ({
            message: "Email lists fetched",
            data: { items: items.map(listView), ...page }
          }))
        )
      )
      .handleRaw("create", ({ request }) =>
        withJson(request, (principal, body: CreateContactListInput) =>
          Effect.map(service.create(principal, body), (created) => ({ data: listView(created) }))
        )
      )
      .handle("get", ({ params }) =>
        asPrincipal((principal) => Effect.map(service.get(principal, params.id), (one) => ({ data: listView(one) })))
      )
      .handleRaw("update", ({ request, params }) =>
        withJson(request, (principal, body: UpdateContactListInput) =>
          Effect.map(service.update(principal, params.id, body), (one) => ({ data: listView(one) }))
        )
      )
      .handle("remove", ({ params }) =>
        asPrincipal((principal) => Effect.as(service.delete(principal, params.id), success))
      )
      .handle("putContact", ({ params }) =>
        asPrincipal((principal) => Effect.as(service.addContact(principal, params.id, params.contactId), success))
      )
      .handle("removeContact", ({ params }) =>
        asPrincipal((principal) => Effect.as(service.removeContact(principal, params.id, params.contactId), success))
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
        asPrincipal((principal) =>
          Effect.map(service.list(principal, query), ({ items, ...page }) => ({
            message: "Email segments fetched",
            data: { items: items.map(segmentView), ...page }
          }))
        )
      )
      .handleRaw("create", ({ request }) =>
        withJson(request, (principal, body: CreateSegmentInput) =>
          Effect.map(service.create(principal, body), (created) => ({ data: segmentView(created) }))
        )
      )
      .handle("get", ({ params }) =>
        asPrincipal((principal) => Effect.map(service.get(principal, params.id), (one) => ({ data: segmentView(one) })))
      )
      .handleRaw("update", ({ request, params }) =>
        withJson(request, (principal, body: UpdateSegmentInput) =>
          Effect.map(service.update(principal, params.id, body), (one) => ({ data: segmentView(one) }))
        )
      )
      .handle("remove", ({ params }) =>
        asPrincipal((principal) => Effect.as(service.delete(principal, params.id), success))
      )
  })
)
