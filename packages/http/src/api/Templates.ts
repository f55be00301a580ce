/**
 * Templates. Source: decision 0027.
 */
import {
  PreviewTemplateBody,
  templateRules,
  templateStatuses,
  variableRules,
  variablesRule,
  variableTypes,
  versionBodiesBytesMax,
  versionStatuses
} from "@mailkeep/core/binding"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Bearer, RequiredPermission, WellFormed } from "./Access.ts"
import { ConflictBody, DuplicateBody, NotFoundBody, bodyRefusals } from "./Failures.ts"
import { pageOf, responseOf, SuccessBody, TextOrNull } from "./Page.ts"
import { FilterText, jsonRequest, Limit, noQuery, oneOf, PageNumber, Search, VersionNumber } from "./Parameters.ts"

const requestFields = {
  name: templateRules.name,
  alias: templateRules.alias,
  description: templateRules.description,
  category: templateRules.category,
  locale: templateRules.locale,
  subject: templateRules.subject,
  preview_text: templateRules.previewText,
  from_name: templateRules.fromName,
  from_address: templateRules.fromAddress,
  reply_to: templateRules.replyTo,
  html: templateRules.html,
  text: templateRules.text,
  variables: variablesRule(
    Schema.Struct({
      key: variableRules.key,
      type: variableRules.type,
      required: variableRules.required,
      fallback_value: variableRules.fallbackValue
    }).annotate({ identifier: "TemplateVariableRequest" })
  )
}

const sizesDescription =
  "A version without `html` and `text` has at most 4 KiB as JSON. The other fields of a template have at most 1 KiB together."

export const CreateTemplateBody = Schema.Struct(requestFields).annotate({
  identifier: "CreateTemplateRequest",
  description: sizesDescription
})

export const UpdateTemplateBody = Schema.Struct({
  ...requestFields,
  name: Schema.optionalKey(requestFields.name)
}).annotate({ identifier: "UpdateTemplateRequest", description: sizesDescription })

export const TemplateVariableBody = Schema.Struct({
  id: Schema.String,
  key: Schema.String,
  type: Schema.Literals(variableTypes),
  required: Schema.Boolean,
  fallback_value: Schema.NullOr(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))
}).annotate({ identifier: "TemplateVariable" })

const versionFields = {
  id: Schema.String,
  template_id: Schema.String,
  version_number: Schema.Int,
  status: Schema.Literals(versionStatuses),
  subject: Schema.String,
  preview_text: TextOrNull,
  from_name: TextOrNull,
  from_address: TextOrNull,
  reply_to: TextOrNull,
  published_at: TextOrNull,
  created_at: Schema.String,
  updated_at: Schema.String,
  variables: Schema.Array(TemplateVariableBody)
}

export const TemplateVersionSummaryBody = Schema.Struct(versionFields).annotate({
  identifier: "TemplateVersionSummary"
})

export const TemplateVersionBody = Schema.Struct({
  ...versionFields,
  html: Schema.String,
  text: Schema.String
}).annotate({ identifier: "TemplateVersion" })

const bodiesDescription =
  `Bodies of a page are at most ${versionBodiesBytesMax} bytes together. The first item that exceeds this bound, and all items after it, have ` +
  "neither `html` nor `text`. Get those items with `beforeVersion`."

export const TemplateVersionItemBody = Schema.Struct({
  ...versionFields,
  html: Schema.optionalKey(Schema.String.annotate({ description: bodiesDescription })),
  text: Schema.optionalKey(Schema.String.annotate({ description: bodiesDescription }))
}).annotate({ identifier: "TemplateVersionItem" })

const templateFields = {
  id: Schema.String,
  name: Schema.String,
  alias: Schema.String,
  description: TextOrNull,
  category: TextOrNull,
  locale: Schema.String,
  draft_version_id: TextOrNull,
  published_version_id: TextOrNull,
  archived_at: TextOrNull,
  created_at: Schema.String,
  updated_at: Schema.String
}

export const TemplateBody = Schema.Struct({
  ...templateFields,
  draft_version: Schema.NullOr(TemplateVersionBody),
  published_version: Schema.NullOr(TemplateVersionBody)
}).annotate({ identifier: "Template" })

export const TemplateSummaryBody = Schema.Struct({
  ...templateFields,
  draft_version: Schema.NullOr(TemplateVersionSummaryBody),
  published_version: Schema.NullOr(TemplateVersionSummaryBody)
}).annotate({ identifier: "TemplateSummary" })
const OneTemplate = responseOf(TemplateBody, "TemplateResponse")

const idParams = { id: Schema.String.annotate({ description: "The template's id or alias." }) }

export class Templates extends HttpApiGroup.make("templates")
  .add(
    HttpApiEndpoint.get("list", "/emails/templates", {
      query: {
        page: PageNumber,
        limit: Limit,
        status: oneOf(templateStatuses),
        search: Search,
        category: FilterText,
        origin: oneOf(["custom"])
      },
      success: pageOf(TemplateSummaryBody, "ListTemplatesResponse")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List templates, the most recently updated first",
        description:
          "Versions are shown without `html` and `text`. A page is at most 1 MiB. Every template is `custom`."
      })
    ),
    HttpApiEndpoint.post("create", "/emails/templates", {
      ...jsonRequest,
      payload: CreateTemplateBody,
      success: OneTemplate,
      error: [DuplicateBody, ConflictBody, ...bodyRefusals]
    }).annotateMerge(OpenApi.annotations({ summary: "Create a template, as a draft" })),
    HttpApiEndpoint.get("get", "/emails/templates/:id", {
      params: idParams,
      query: noQuery,
      success: OneTemplate,
      error: NotFoundBody
    }).annotateMerge(OpenApi.annotations({ summary: "Get a template" })),
    HttpApiEndpoint.patch("update", "/emails/templates/:id", {
      ...jsonRequest,
      params: idParams,
      payload: UpdateTemplateBody,
      success: OneTemplate,
      error: [NotFoundBody, DuplicateBody, ConflictBody, ...bodyRefusals]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Change a template's draft",
        description: "Makes a draft from the published version if there is no draft. A published version never changes."
      })
    ),
    HttpApiEndpoint.delete("archive", "/emails/templates/:id", {
      params: idParams,
      query: noQuery,
      success: SuccessBody,
      error: NotFoundBody
    }).annotateMerge(OpenApi.annotations({ summary: "Archive a template; sends with it are refused" })),
    HttpApiEndpoint.get("variables", "/emails/templates/:id/variables", {
      params: idParams,
      query: noQuery,
      success: Schema.Struct({ data: Schema.Array(TemplateVariableBody) }).annotate({
        identifier: "ListTemplateVariablesResponse"
      }),
      error: NotFoundBody
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List the variables of the draft, or of the published version when there is no draft"
      })
    ),
    HttpApiEndpoint.get("versions", "/emails/templates/:id/versions", {
      params: idParams,
      query: { limit: Limit, beforeVersion: VersionNumber },
      success: Schema.Struct({
        message: Schema.String,
        data: Schema.Array(TemplateVersionItemBody)
      }).annotate({ identifier: "ListTemplateVersionsResponse" }),
      error: NotFoundBody
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List a template's versions, newest first",
        description: "A page with fewer than `limit` items is the last page."
      })
    ),
    HttpApiEndpoint.post("publish", "/emails/templates/:id/publish", {
      params: idParams,
      query: noQuery,
      success: OneTemplate,
      error: [NotFoundBody, ConflictBody]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Publish the draft",
        description: "Refused while the draft uses a variable that it does not declare."
      })
    ),
    HttpApiEndpoint.post("preview", "/emails/templates/:id/preview", {
      ...jsonRequest,
      params: idParams,
      payload: PreviewTemplateBody,
      success: responseOf(
        Schema.Struct({ subject: Schema.String, html: TextOrNull, text: TextOrNull }),
        "TemplatePreviewResponse"
      ),
      error: [NotFoundBody, ...bodyRefusals]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Preview a send of the template",
        description:
          "An extension. Uses the draft, or the published version if there is no draft. `version` selects one of them."
      })
    )
  )
  .annotateEndpoints(RequiredPermission, "email.full_access")
  .middleware(WellFormed)
  .middleware(Bearer) {}
