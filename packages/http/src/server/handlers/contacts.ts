/**
 * The endpoints of contacts.
 */
import type { CreateContact, UpdateContact } from "@mailkeep/core"
import { Contacts } from "@mailkeep/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailApi } from "../../api/MailApi.ts"
import { inProject, searchOf, success, withJson } from "../answering.ts"
import { contactDetailView, contactSummaryView, contactView } from "../views.ts"

export const contacts = HttpApiBuilder.group(
  MailApi,
  "contacts",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Contacts
    return handlers
      .handle("list", ({ query }) =>
        inProject((projectId) =>
          Effect.map(
            service.page(
              projectId,
              {
                search: searchOf(query.search),
                emailStatus: query.emailStatus ?? null,
                listId: query.listId ?? null,
                segmentId: query.segmentId ?? null
              },
              { page: query.page, limit: query.limit }
            ),
            ({ items, ...page }) => ({
              message: "Email contacts fetched",
              data: { items: items.map(contactSummaryView), ...page }
            })
          )
        )
      )
      .handle("get", ({ params }) =>
        inProject((projectId) =>
          Effect.map(service.get(projectId, params.contactId), (found) => ({ data: contactDetailView(found) }))
        )
      )
      .handleRaw("create", ({ request }) =>
        withJson(request, (projectId, body: CreateContact) =>
          Effect.map(service.create(projectId, body), (contact) => ({ data: contactView(contact) }))
        )
      )
      .handleRaw("update", ({ request, params }) =>
        withJson(request, (projectId, body: UpdateContact) =>
          Effect.map(service.update(projectId, params.contactId, body), (contact) => ({ data: contactView(contact) }))
        )
      )
      .handle("remove", ({ params }) =>
        inProject((projectId) => Effect.as(service.erase(projectId, params.contactId), success))
      )
  })
)
