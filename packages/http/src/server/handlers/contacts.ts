/**
 * The endpoints of contacts.
 */
import type { CreateContactInput, UpdateContactInput } from "@mailkeep/core"
import { Contacts } from "@mailkeep/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailApi } from "../../api/MailApi.ts"
import { inProject, searchOf, success, withJson } from "../handlerResponse.ts"
import { contactDetailView, contactSummaryView, contactView } from "../contactViews.ts"

export const contacts = HttpApiBuilder.group(
  MailApi,
  "contacts",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Contacts
    return handlers
      .handle("list", ({ query }) =>
        inProject((projectId) =>
          Effect.map(service.list(projectId, { ...query, search: searchOf(query.search) }), ({ items, ...page }) => ({
            message: "Email contacts fetched",
            data: { items: items.map(contactSummaryView), ...page }
          }))
        )
      )
      .handle("get", ({ params }) =>
        inProject((projectId) =>
          Effect.map(service.get(projectId, params.contactId), (found) => ({ data: contactDetailView(found) }))
        )
      )
      .handleRaw("create", ({ request }) =>
        withJson(request, (projectId, body: CreateContactInput) =>
          Effect.map(service.create(projectId, body), (contact) => ({ data: contactView(contact) }))
        )
      )
      .handleRaw("update", ({ request, params }) =>
        withJson(request, (projectId, body: UpdateContactInput) =>
          Effect.map(service.update(projectId, params.contactId, body), (contact) => ({ data: contactView(contact) }))
        )
      )
      .handle("remove", ({ params }) =>
        inProject((projectId) => Effect.as(service.delete(projectId, params.contactId), success))
      )
  })
)
