/**
 * Converts templates and their versions to the wire format.
 */
import type {
  Template,
  TemplateSummary,
  TemplateVariable,
  TemplateVersion,
  TemplateVersionItem,
  TemplateVersionSummary
} from "@mailkeep/core"
import { formatInstantOrNull } from "@mailkeep/core/binding"
import type {
  TemplateBody,
  TemplateSummaryBody,
  TemplateVariableBody,
  TemplateVersionBody,
  TemplateVersionItemBody,
  TemplateVersionSummaryBody
} from "../api/Templates.ts"
import { timesView } from "./timesView.ts"

export const variableView = ({
  id,
  key,
  type,
  required,
  fallbackValue
}: TemplateVariable): typeof TemplateVariableBody.Type => ({ id, key, type, required, fallback_value: fallbackValue })

const versionSummaryView = (version: TemplateVersionSummary): typeof TemplateVersionSummaryBody.Type => ({
  id: version.id,
  template_id: version.templateId,
  version_number: version.versionNumber,
  status: version.status,
  subject: version.subject ?? "",
  preview_text: version.previewText,
  from_name: version.fromName,
  from_address: version.fromAddress,
  reply_to: version.replyTo,
  published_at: formatInstantOrNull(version.publishedAt),
  ...timesView(version),
  variables: version.variables.map(variableView)
})

const versionView = (version: TemplateVersion): typeof TemplateVersionBody.Type => ({
  ...versionSummaryView(version),
  html: version.html ?? "",
  text: version.text ?? ""
})

export const versionItemView = (version: TemplateVersionItem): typeof TemplateVersionItemBody.Type => ({
  ...versionSummaryView(version),
  ...(version.html === undefined ? {} : { html: version.html ?? "" }),
  ...(version.text === undefined ? {} : { text: version.text ?? "" })
})

const templateFieldsView = (template: TemplateSummary) => ({
  id: template.id,
  name: template.name,
  alias: template.alias ?? "",
  description: template.description,
  category: template.category,
  locale: template.locale ?? "",
  draft_version_id: template.draft?.id ?? null,
  published_version_id: template.published?.id ?? null,
  archived_at: formatInstantOrNull(template.archivedAt),
  ...timesView(template)
})

export const templateView = (template: Template): typeof TemplateBody.Type => ({
  ...templateFieldsView(template),
  draft_version: template.draft === null ? null : versionView(template.draft),
  published_version: template.published === null ? null : versionView(template.published)
})

export const templateSummaryView = (template: TemplateSummary): typeof TemplateSummaryBody.Type => ({
  ...templateFieldsView(template),
  draft_version: template.draft === null ? null : versionSummaryView(template.draft),
  published_version: template.published === null ? null : versionSummaryView(template.published)
})
