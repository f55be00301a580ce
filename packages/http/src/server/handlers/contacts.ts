/**
 * The endpoints of contacts.
 */
import type { CreateContactInput, UpdateContactInput } from "@mailkeep/core"
import { Contacts } from "@mailkeep/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailApi } from "../../api/MailApi.ts"
import { asPrincipal, searchOf, success, withJson } from "../handlerResponse.ts"
import { contactDetailView, contactSummaryView, contactView } from "../contactViews.ts"

export const contacts = HttpApiBuilder.group(
  MailApi,
  "contacts",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Contacts
    return handlers
      .handle("list", ({ query }) =>
        asPrincipal((principal) =>
          Effect.map(service.list(principal, { ...query, search: searchOf(query.search) }), ({ items, ...page }) => ({
            message: "Email contacts fetched",
            data: { items: items.map(contactSummaryView), ...page }
          }))
        )
      )
      .handle("get", ({ params }) =>
        asPrincipal((principal) =>
          Effect.map(service.get(principal, params.contactId), (found) => ({ data: contactDetailView(found) }))
        )
      )
      .handleRaw("create", ({ request }) =>
        withJson(request, (principal, body: CreateContactInput) =>
          Effect.map(service.create(principal, body), (contact) => ({ data: contactView(contact) }))
        )
      )
      .handleRaw("update", ({ request, params }) =>
        withJson(request, (principal, body: UpdateContactInput) =>
          Effect.map(service.update(principal, params.contactId, body), (contact) => ({ data: contactView(contact) }))
        )
      )
      .handle("remove", ({ params }) =>
        asPrincipal((principal) => Effect.as(service.delete(principal, params.contactId), success))
      )
  })
)
