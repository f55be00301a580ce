/**
 * Custom properties, lists and segments. Source: decisions 0025 and 0026.
 */
import {
  CreateListBody,
  CreatePropertySchema,
  CreateSegmentBody,
  propertyTypes,
  UpdateListBody,
  UpdatePropertySchema,
  UpdateSegmentBody
} from "@mailkeep/core/binding"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Bearer, RequiredPermission, WellFormed } from "./Access.ts"
import { ConflictBody, DuplicateBody, NotFoundBody, bodyRefusals } from "./Failures.ts"
import { pageOf, responseOf, SuccessBody, TextOrNull } from "./Page.ts"
import { idParams, jsonRequest, Limit, noQuery, PageNumber } from "./Parameters.ts"

const stamps = { created_at: Schema.String, updated_at: Schema.String }
const paged = { page: PageNumber, limit: Limit }

export const PropertyBody = Schema.Struct({
  id: Schema.String,
  key: Schema.String,
  type: Schema.Literals(propertyTypes),
  fallback_value: TextOrNull,
  ...stamps
}).annotate({ identifier: "Property" })
const OneProperty = responseOf(PropertyBody, "PropertyResponse")

const { fallbackValue: newFallback, ...newProperty } = CreatePropertySchema.fields
export const CreatePropertyBody = Schema.Struct({ ...newProperty, fallback_value: newFallback }).annotate({
  identifier: "CreatePropertyRequest"
})

const { fallbackValue: changedFallback, ...changedProperty } = UpdatePropertySchema.fields
export const UpdatePropertyBody = Schema.Struct({ ...changedProperty, fallback_value: changedFallback }).annotate({
  identifier: "UpdatePropertyRequest"
})

export class Properties extends HttpApiGroup.make("properties")
  .add(
    HttpApiEndpoint.get("list", "/emails/properties", {
      query: noQuery,
      success: Schema.Struct({ data: Schema.Array(PropertyBody) }).annotate({ identifier: "ListPropertiesResponse" })
    }).annotateMerge(OpenApi.annotations({ summary: "List custom properties" })),
    HttpApiEndpoint.post("create", "/emails/properties", {
      ...jsonRequest,
      payload: CreatePropertyBody,
      success: OneProperty,
      error: [DuplicateBody, ConflictBody, ...bodyRefusals]
    }).annotateMerge(OpenApi.annotations({ summary: "Define a custom property" })),
    HttpApiEndpoint.patch("update", "/emails/properties/:id", {
      ...jsonRequest,
      params: idParams,
      payload: UpdatePropertyBody,
      success: OneProperty,
      error: [NotFoundBody, DuplicateBody, ConflictBody, ...bodyRefusals]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Change a custom property",
        description: "The type can change only while no contact has a value."
      })
    ),
    HttpApiEndpoint.delete("remove", "/emails/properties/:id", {
      params: idParams,
      query: noQuery,
      success: SuccessBody,
      error: NotFoundBody
    }).annotateMerge(OpenApi.annotations({ summary: "Delete a custom property and its values" }))
  )
  .annotateEndpoints(RequiredPermission, "email.full_access")
  .middleware(WellFormed)
  .middleware(Bearer) {}

export const ListBody = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: Schema.String,
  contact_count: Schema.Int,
  ...stamps
}).annotate({ identifier: "List" })
const OneList = responseOf(ListBody, "ListResponse")

export class Lists extends HttpApiGroup.make("lists")
  .add(
    HttpApiEndpoint.get("list", "/emails/lists", {
      query: paged,
      success: pageOf(ListBody, "ListListsResponse")
    }).annotateMerge(OpenApi.annotations({ summary: "List lists" })),
    HttpApiEndpoint.post("create", "/emails/lists", {
      ...jsonRequest,
      payload: CreateListBody,
      success: OneList,
      error: [DuplicateBody, ConflictBody, ...bodyRefusals]
    }).annotateMerge(OpenApi.annotations({ summary: "Create a list" })),
    HttpApiEndpoint.get("get", "/emails/lists/:id", {
      params: idParams,
      query: noQuery,
      success: OneList,
      error: NotFoundBody
    }).annotateMerge(OpenApi.annotations({ summary: "Get a list" })),
    HttpApiEndpoint.patch("update", "/emails/lists/:id", {
      ...jsonRequest,
      params: idParams,
      payload: UpdateListBody,
      success: OneList,
      error: [NotFoundBody, DuplicateBody, ...bodyRefusals]
    }).annotateMerge(OpenApi.annotations({ summary: "Change a list" })),
    HttpApiEndpoint.delete("remove", "/emails/lists/:id", {
      params: idParams,
      query: noQuery,
      success: SuccessBody,
      error: NotFoundBody
    }).annotateMerge(OpenApi.annotations({ summary: "Delete a list; its contacts stay" })),
    HttpApiEndpoint.put("putContact", "/emails/lists/:id/contacts/:contactId", {
      params: { ...idParams, contactId: Schema.String },
      query: noQuery,
      success: SuccessBody,
      error: [NotFoundBody, ConflictBody]
    }).annotateMerge(OpenApi.annotations({ summary: "Add a contact to a list" })),
    HttpApiEndpoint.delete("removeContact", "/emails/lists/:id/contacts/:contactId", {
      params: { ...idParams, contactId: Schema.String },
      query: noQuery,
      success: SuccessBody,
      error: NotFoundBody
    }).annotateMerge(OpenApi.annotations({ summary: "Remove a contact from a list" }))
  )
  .annotateEndpoints(RequiredPermission, "email.full_access")
  .middleware(WellFormed)
  .middleware(Bearer) {}

export const SegmentBody = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  filter: Schema.Record(Schema.String, Schema.Json),
  ...stamps
}).annotate({ identifier: "Segment" })
const OneSegment = responseOf(SegmentBody, "SegmentResponse")

export class Segments extends HttpApiGroup.make("segments")
  .add(
    HttpApiEndpoint.get("list", "/emails/segments", {
      query: paged,
      success: pageOf(SegmentBody, "ListSegmentsResponse")
    }).annotateMerge(OpenApi.annotations({ summary: "List segments" })),
    HttpApiEndpoint.post("create", "/emails/segments", {
      ...jsonRequest,
      payload: CreateSegmentBody,
      success: OneSegment,
      error: [DuplicateBody, ConflictBody, ...bodyRefusals]
    }).annotateMerge(OpenApi.annotations({ summary: "Create a segment" })),
    HttpApiEndpoint.get("get", "/emails/segments/:id", {
      params: idParams,
      query: noQuery,
      success: OneSegment,
      error: NotFoundBody
    }).annotateMerge(OpenApi.annotations({ summary: "Get a segment" })),
    HttpApiEndpoint.patch("update", "/emails/segments/:id", {
      ...jsonRequest,
      params: idParams,
      payload: UpdateSegmentBody,
      success: OneSegment,
      error: [NotFoundBody, DuplicateBody, ...bodyRefusals]
    }).annotateMerge(OpenApi.annotations({ summary: "Change a segment" })),
    HttpApiEndpoint.delete("remove", "/emails/segments/:id", {
      params: idParams,
      query: noQuery,
      success: SuccessBody,
      error: NotFoundBody
    }).annotateMerge(OpenApi.annotations({ summary: "Delete a segment; its contacts stay" }))
  )
  .annotateEndpoints(RequiredPermission, "email.full_access")
  .middleware(WellFormed)
  .middleware(Bearer) {}
