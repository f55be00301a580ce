/**
 * Templates and their versions, as the services return them. Source: decision 0027.
 */
import { bodyBytesMax } from "../message/SendRequest.ts"
import type { ResourceOf } from "../store/Resource.ts"
import type { Instant } from "../value/Instant.ts"
import type { TemplateAbout, TemplateStatus, TemplateVariable, VersionStatus } from "./TemplateContent.ts"
import { templateStatusOf } from "./TemplateContent.ts"

/** A version of a template without its bodies. A published version never changes. */
export interface TemplateVersionSummary {
  readonly id: string
  readonly templateId: string
  /** From 1. */
  readonly versionNumber: number
  readonly status: VersionStatus
  /** In Mustache; `null` when it is not set. */
  readonly subject: string | null
  /** The text that mail programs show next to the subject, in Mustache. */
  readonly previewText: string | null
  /** The name of the sender, for sends without a name of their own. */
  readonly fromName: string | null
  /** Information for the people who write the send. Mailkeep does not use this address. */
  readonly fromAddress: string | null
  /** The reply address, for sends without a reply address of their own. */
  readonly replyTo: string | null
  readonly variables: ReadonlyArray<TemplateVariable>
  /** `null` until the version is published. */
  readonly publishedAt: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** A version of a template. A published version never changes. */
export interface TemplateVersion extends TemplateVersionSummary {
  /** In Mustache; `null` when it is not set. */
  readonly html: string | null
  /** In Mustache; `null` when it is not set. */
  readonly text: string | null
}

/** A version in a list. `html` and `text` are absent when the bodies of the page would exceed `versionBodiesBytesMax`. */
export interface TemplateVersionItem extends TemplateVersionSummary {
  /** In Mustache; `null` when it is not set. */
  readonly html?: string | null
  /** In Mustache; `null` when it is not set. */
  readonly text?: string | null
}

interface TemplateFields extends TemplateAbout {
  readonly id: string
  readonly status: TemplateStatus
  /** `null` for a template that is not archived. */
  readonly archivedAt: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** A template with its draft and its published version. Sends use the published version. */
export interface Template extends TemplateFields {
  /** The version that `update` changes; `null` when there is none. */
  readonly draft: TemplateVersion | null
  /** The version that sends use; `null` until a version is published. */
  readonly published: TemplateVersion | null
}

/** A template that has a published version. */
export interface PublishedTemplate extends Template {
  readonly published: TemplateVersion
}

/** A template in a list: its versions are without bodies. */
export interface TemplateSummary extends TemplateFields {
  readonly draft: TemplateVersionSummary | null
  readonly published: TemplateVersionSummary | null
}

/** The maximum bytes of HTML and text in one page of versions: the maximum of the two bodies of one version. */
export const versionBodiesBytesMax = 2 * bodyBytesMax

/** A stored version with its bodies. */
export interface StoredVersion {
  readonly version: ResourceOf<"templateVersion">
  readonly body: ResourceOf<"templateBody">
}

/** A stored template with its draft and its published version, without their bodies. */
export interface StoredTemplateSummary {
  readonly template: ResourceOf<"template">
  readonly draft: ResourceOf<"templateVersion"> | null
  readonly published: ResourceOf<"templateVersion"> | null
}

/** A stored template with its draft and its published version. */
export interface StoredTemplate {
  readonly template: ResourceOf<"template">
  readonly draft: StoredVersion | null
  readonly published: StoredVersion | null
}

/** Returns a stored version as a plain record without its bodies. */
export const toTemplateVersionSummary = ({
  id,
  parent,
  content,
  createdAt,
  updatedAt
}: ResourceOf<"templateVersion">): TemplateVersionSummary => ({
  id,
  templateId: parent,
  versionNumber: content.versionNumber,
  status: content.status,
  subject: content.subject,
  previewText: content.previewText,
  fromName: content.fromName,
  fromAddress: content.fromAddress,
  replyTo: content.replyTo,
  variables: content.variables,
  publishedAt: content.publishedAt,
  createdAt,
  updatedAt
})

/** Returns a stored version as a plain record. */
export const toTemplateVersion = ({ version, body }: StoredVersion): TemplateVersion => ({
  ...toTemplateVersionSummary(version),
  html: body.content.html,
  text: body.content.text
})

const fieldsOf = ({ id, content, createdAt, updatedAt }: ResourceOf<"template">): TemplateFields => ({
  id,
  name: content.name,
  alias: content.alias,
  description: content.description,
  category: content.category,
  locale: content.locale,
  status: templateStatusOf(content),
  archivedAt: content.archivedAt,
  createdAt,
  updatedAt
})

/** Returns a stored template as a plain record. */
export const toTemplate = ({ template, draft, published }: StoredTemplate): Template => ({
  ...fieldsOf(template),
  draft: draft === null ? null : toTemplateVersion(draft),
  published: published === null ? null : toTemplateVersion(published)
})

/** Returns a stored template as a plain record for a list. */
export const toTemplateSummary = ({ template, draft, published }: StoredTemplateSummary): TemplateSummary => ({
  ...fieldsOf(template),
  draft: draft === null ? null : toTemplateVersionSummary(draft),
  published: published === null ? null : toTemplateVersionSummary(published)
})
