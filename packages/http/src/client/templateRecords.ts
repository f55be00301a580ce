/**
 * Converts the templates of the wire to those of the core. The wire shows a text that is not set as an empty text.
 */
import type {
  Template,
  TemplateStatus,
  TemplateSummary,
  TemplateVariable,
  TemplateVersion,
  TemplateVersionItem,
  TemplateVersionSummary
} from "@mailkeep/core"
import type {
  TemplateBody,
  TemplateSummaryBody,
  TemplateVariableBody,
  TemplateVersionBody,
  TemplateVersionItemBody,
  TemplateVersionSummaryBody
} from "../api/Templates.ts"
import { toInstantOrNull, toStamps } from "./records.ts"

const setText = (text: string): string | null => (text === "" ? null : text)

export const toTemplateVariable = (wire: typeof TemplateVariableBody.Type): TemplateVariable => ({
  id: wire.id,
  key: wire.key,
  type: wire.type,
  required: wire.required,
  fallbackValue: wire.fallback_value
})

const toVersionSummary = (wire: typeof TemplateVersionSummaryBody.Type): TemplateVersionSummary => ({
  id: wire.id,
  templateId: wire.template_id,
  versionNumber: wire.version_number,
  status: wire.status,
  subject: setText(wire.subject),
  previewText: wire.preview_text,
  fromName: wire.from_name,
  fromAddress: wire.from_address,
  replyTo: wire.reply_to,
  variables: wire.variables.map(toTemplateVariable),
  publishedAt: toInstantOrNull(wire.published_at),
  ...toStamps(wire)
})

const toVersion = (wire: typeof TemplateVersionBody.Type): TemplateVersion => ({
  ...toVersionSummary(wire),
  html: setText(wire.html),
  text: setText(wire.text)
})

export const toTemplateVersionItem = (wire: typeof TemplateVersionItemBody.Type): TemplateVersionItem => ({
  ...toVersionSummary(wire),
  ...(wire.html === undefined ? {} : { html: setText(wire.html) }),
  ...(wire.text === undefined ? {} : { text: setText(wire.text) })
})

/** The rule of `templateStatusOf` of the core, on the fields of the wire. */
const statusOf = (wire: typeof TemplateSummaryBody.Type): TemplateStatus => {
  if (wire.archived_at !== null) return "archived"
  if (wire.published_version_id === null) return "draft"
  return wire.draft_version_id === null ? "published" : "changes_in_draft"
}

const toTemplateFields = (wire: typeof TemplateSummaryBody.Type) => ({
  id: wire.id,
  name: wire.name,
  alias: setText(wire.alias),
  description: wire.description,
  category: wire.category,
  locale: setText(wire.locale),
  status: statusOf(wire),
  archivedAt: toInstantOrNull(wire.archived_at),
  ...toStamps(wire)
})

export const toTemplate = (wire: typeof TemplateBody.Type): Template => ({
  ...toTemplateFields(wire),
  draft: wire.draft_version === null ? null : toVersion(wire.draft_version),
  published: wire.published_version === null ? null : toVersion(wire.published_version)
})

export const toTemplateSummary = (wire: typeof TemplateSummaryBody.Type): TemplateSummary => ({
  ...toTemplateFields(wire),
  draft: wire.draft_version === null ? null : toVersionSummary(wire.draft_version),
  published: wire.published_version === null ? null : toVersionSummary(wire.published_version)
})
