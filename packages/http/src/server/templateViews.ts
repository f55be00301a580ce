/**
 * Converts templates and their versions to the wire format.
 */
import type {
  ResourceOf,
  TemplateDetail,
  TemplateSummary,
  TemplateVariable,
  TemplateVersionDetail,
  TemplateVersionItem
} from "@mailkeep/core"
import { formatInstantOrNull } from "@mailkeep/core"
import type {
  TemplateBody,
  TemplateSummaryBody,
  TemplateVariableBody,
  TemplateVersionBody,
  TemplateVersionItemBody,
  TemplateVersionSummaryBody
} from "../api/Templates.ts"
import { stamps } from "./views.ts"

const versionSummaryView = ({
  id,
  parent,
  content,
  ...at
}: ResourceOf<"templateVersion">): typeof TemplateVersionSummaryBody.Type => ({
  id,
  template_id: parent,
  version_number: content.versionNumber,
  status: content.status,
  subject: content.subject ?? "",
  preview_text: content.previewText,
  from_name: content.fromName,
  from_address: content.fromAddress,
  reply_to: content.replyTo,
  published_at: formatInstantOrNull(content.publishedAt),
  ...stamps(at),
  variables: content.variables.map(variableView)
})

const bodyView = ({ content: { html, text } }: ResourceOf<"templateBody">) => ({ html: html ?? "", text: text ?? "" })

const versionView = ({ version, body }: TemplateVersionDetail): typeof TemplateVersionBody.Type => ({
  ...versionSummaryView(version),
  ...bodyView(body)
})

export const versionItemView = ({ version, body }: TemplateVersionItem): typeof TemplateVersionItemBody.Type => ({
  ...versionSummaryView(version),
  ...(body === null ? {} : bodyView(body))
})

export const variableView = ({
  id,
  key,
  type,
  required,
  fallbackValue
}: TemplateVariable): typeof TemplateVariableBody.Type => ({ id, key, type, required, fallback_value: fallbackValue })

const templateFieldsView = (template: ResourceOf<"template">) => ({
  id: template.id,
  name: template.content.name,
  alias: template.content.alias ?? "",
  description: template.content.description,
  category: template.content.category,
  locale: template.content.locale ?? "",
  draft_version_id: template.content.draftVersionId,
  published_version_id: template.content.publishedVersionId,
  archived_at: formatInstantOrNull(template.content.archivedAt),
  ...stamps(template)
})

export const templateView = ({ template, draft, published }: TemplateDetail): typeof TemplateBody.Type => ({
  ...templateFieldsView(template),
  draft_version: draft === null ? null : versionView(draft),
  published_version: published === null ? null : versionView(published)
})

export const templateSummaryView = ({
  template,
  draft,
  published
}: TemplateSummary): typeof TemplateSummaryBody.Type => ({
  ...templateFieldsView(template),
  draft_version: draft === null ? null : versionSummaryView(draft),
  published_version: published === null ? null : versionSummaryView(published)
})
