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
import { Bearer, RateLimitedEndpoint, RequiredPermission, WellFormed } from "./Access.ts"
import { DuplicateBody, NotFoundBody, TooManyRequestsBody, bodyRefusals } from "./Failures.ts"
import { pageOf, SuccessBody } from "./Page.ts"
import { FilterText, jsonHeaders, Limit, noQuery, oneOf, PageNumber, Search } from "./Parameters.ts"

export const ContactSummaryBody = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  first_name: Schema.String,
  last_name: Schema.String,
  phone_number: Schema.NullOr(Schema.String),
  email_status: Schema.Literals(emailStatuses),
  created_at: Schema.String
}).annotate({ identifier: "ContactSummary" })

export const ContactBody = Schema.Struct({
  ...ContactSummaryBody.fields,
  user_id: Schema.NullOr(Schema.String),
  source: Schema.Literals(contactSources),
  updated_at: Schema.String
}).annotate({ identifier: "Contact" })

export const ContactDetailBody = Schema.Struct({
  ...ContactBody.fields,
  properties: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite])),
  unsubscribed: Schema.Boolean,
  email_delivery_block_reason: Schema.NullOr(Schema.Literals(suppressionReasons))
}).annotate({ identifier: "ContactDetail" })

const OneContactBody = Schema.Struct({ data: ContactBody }).annotate({ identifier: "ContactResponse" })

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
    })
      .annotate(RequiredPermission, "email.full_access")
      .annotateMerge(OpenApi.annotations({ summary: "List contacts" })),
    HttpApiEndpoint.post("create", "/emails/contacts", {
      headers: jsonHeaders,
      query: noQuery,
      payload: CreateContactBody,
      success: OneContactBody,
      error: [DuplicateBody, ...bodyRefusals, TooManyRequestsBody]
    })
      .annotate(RequiredPermission, "email.full_access")
      .annotate(RateLimitedEndpoint, true)
      .annotateMerge(OpenApi.annotations({ summary: "Create a contact" })),
    HttpApiEndpoint.get("get", "/emails/contacts/:contactId", {
      params: { contactId: Schema.String },
      query: noQuery,
      success: Schema.Struct({ data: ContactDetailBody }).annotate({ identifier: "ContactDetailResponse" }),
      error: NotFoundBody
    })
      .annotate(RequiredPermission, "email.full_access")
      .annotateMerge(OpenApi.annotations({ summary: "Get a contact" })),
    HttpApiEndpoint.delete("remove", "/emails/contacts/:contactId", {
      params: { contactId: Schema.String },
      query: noQuery,
      success: SuccessBody,
      error: NotFoundBody
    })
      .annotate(RequiredPermission, "email.full_access")
      .annotateMerge(
        OpenApi.annotations({
          summary: "Erase a contact",
          description:
            "A suppression of the address stays in force without the address. The delivery log keeps the deliveries."
        })
      ),
    HttpApiEndpoint.put("update", "/emails/contacts/:contactId", {
      params: { contactId: Schema.String },
      headers: jsonHeaders,
      query: noQuery,
      payload: UpdateContactBody,
      success: OneContactBody,
      error: [NotFoundBody, DuplicateBody, ...bodyRefusals]
    })
      .annotate(RequiredPermission, "email.full_access")
      .annotateMerge(OpenApi.annotations({ summary: "Update a contact" }))
  )
  .middleware(WellFormed)
  .middleware(Bearer) {}
