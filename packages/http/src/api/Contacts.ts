/**
 * Contacts. Source: docs/spec/coverage.md S7.
 */
import {
  contactSources,
  CreateContactBody,
  emailStatuses,
  suppressionReasons,
  UpdateContactBody
} from "@mailkeep/core/binding"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Bearer, rateLimited, RequiredPermission, WellFormed } from "./Access.ts"
import { DuplicateBody, NotFoundBody, TooManyRequestsBody, bodyRefusals } from "./Failures.ts"
import { pageOf, responseOf, SuccessBody, TextOrNull } from "./Page.ts"
import { FilterText, jsonRequest, Limit, noQuery, oneOf, PageNumber, Search } from "./Parameters.ts"

export const ContactSummaryBody = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  first_name: Schema.String,
  last_name: Schema.String,
  phone_number: TextOrNull,
  email_status: Schema.Literals(emailStatuses),
  created_at: Schema.String
}).annotate({ identifier: "ContactSummary" })

export const ContactBody = Schema.Struct({
  ...ContactSummaryBody.fields,
  user_id: TextOrNull,
  source: Schema.Literals(contactSources),
  updated_at: Schema.String
}).annotate({ identifier: "Contact" })

export const ContactDetailBody = Schema.Struct({
  ...ContactBody.fields,
  properties: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite])),
  unsubscribed: Schema.Boolean,
  email_delivery_block_reason: Schema.NullOr(Schema.Literals(suppressionReasons))
}).annotate({ identifier: "ContactDetail" })

const OneContactBody = responseOf(ContactBody, "ContactResponse")

const ContactPageBody = pageOf(ContactSummaryBody, "ListContactsResponse")

export class Contacts extends HttpApiGroup.make("contacts")
  .add(
    HttpApiEndpoint.get("list", "/emails/contacts", {
      query: {
        page: PageNumber,
        limit: Limit,
        search: Search,
        emailStatus: oneOf(emailStatuses),
        listId: FilterText,
        segmentId: FilterText
      },
      success: ContactPageBody
    }).annotateMerge(OpenApi.annotations({ summary: "List contacts" })),
    HttpApiEndpoint.post("create", "/emails/contacts", {
      ...jsonRequest,
      payload: CreateContactBody,
      success: OneContactBody,
      error: [DuplicateBody, ...bodyRefusals, TooManyRequestsBody]
    })
      .annotateMerge(rateLimited)
      .annotateMerge(OpenApi.annotations({ summary: "Create a contact" })),
    HttpApiEndpoint.get("get", "/emails/contacts/:contactId", {
      params: { contactId: Schema.String },
      query: noQuery,
      success: responseOf(ContactDetailBody, "ContactDetailResponse"),
      error: NotFoundBody
    }).annotateMerge(OpenApi.annotations({ summary: "Get a contact" })),
    HttpApiEndpoint.delete("remove", "/emails/contacts/:contactId", {
      params: { contactId: Schema.String },
      query: noQuery,
      success: SuccessBody,
      error: NotFoundBody
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Erase a contact",
        description:
          "A suppression of the address stays in force without the address. The delivery log keeps the deliveries."
      })
    ),
    HttpApiEndpoint.put("update", "/emails/contacts/:contactId", {
      params: { contactId: Schema.String },
      ...jsonRequest,
      payload: UpdateContactBody,
      success: OneContactBody,
      error: [NotFoundBody, DuplicateBody, ...bodyRefusals]
    }).annotateMerge(OpenApi.annotations({ summary: "Update a contact" }))
  )
  .annotateEndpoints(RequiredPermission, "email.full_access")
  .middleware(WellFormed)
  .middleware(Bearer) {}
