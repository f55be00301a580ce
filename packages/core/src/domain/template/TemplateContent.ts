/**
 * What a store keeps of templates and their versions. Source: decision 0027.
 */
import type { Instant } from "../value/Instant.ts"

/** The prefix of a template's id. An alias must not begin with it. */
export const templateIdPrefix = "tpl_"

/** Whether the text is a template's id. Otherwise it is an alias. */
export const isTemplateId = (text: string): boolean => text.startsWith(templateIdPrefix)

/** The fields of a template outside its versions. */
export interface TemplateAbout {
  readonly name: string
  /** A name for use in programs, unique within the project. */
  readonly alias: string | null
  readonly description: string | null
  readonly category: string | null
  readonly locale: string | null
}

/** The stored content of a template. At most one of its versions is the draft, and at most one is published. */
export interface TemplateContent extends TemplateAbout {
  readonly draftVersionId: string | null
  readonly publishedVersionId: string | null
  readonly archivedAt: Instant | null
}

/** Every status of a template. */
export const templateStatuses = ["draft", "published", "changes_in_draft", "archived"] as const
/** The status of a template. `changes_in_draft` means that the template has a published version and a draft. */
export type TemplateStatus = (typeof templateStatuses)[number]

/** Returns the status of a template. */
export const templateStatusOf = ({
  archivedAt,
  publishedVersionId,
  draftVersionId
}: Pick<TemplateContent, "archivedAt" | "publishedVersionId" | "draftVersionId">): TemplateStatus => {
  if (archivedAt !== null) return "archived"
  if (publishedVersionId === null) return "draft"
  return draftVersionId === null ? "published" : "changes_in_draft"
}

/** Every type of a template variable. */
export const variableTypes = ["string", "number", "boolean"] as const
/** The type of a template variable's values. */
export type VariableType = (typeof variableTypes)[number]
/** A value of a template variable. */
export type VariableValue = string | number | boolean

/** A variable that a version declares. */
export interface TemplateVariable {
  /** Stays the same while the key does not change. */
  readonly id: string
  readonly key: string
  readonly type: VariableType
  /** Whether a send must give a value when there is no fallback value. */
  readonly required: boolean
  /** Replaces a missing value; `null` when there is none. */
  readonly fallbackValue: VariableValue | null
}

/** The parts of a version without its bodies. Subject and preview text are Mustache. */
export interface TemplateSettings {
  readonly subject: string | null
  readonly previewText: string | null
  readonly fromName: string | null
  readonly fromAddress: string | null
  readonly replyTo: string | null
  readonly variables: ReadonlyArray<TemplateVariable>
}

/** The bodies of a version, in Mustache. They are a separate record, so that a listing of versions does not load them. */
export interface TemplateBodyContent {
  readonly html: string | null
  readonly text: string | null
}

/** All parts of a version: what a send renders. */
export interface TemplateParts extends TemplateSettings, TemplateBodyContent {}

/** Every status of a template version. */
export const versionStatuses = ["draft", "published", "saved"] as const
/** The status of a version. `saved` means that the version was published before. */
export type VersionStatus = (typeof versionStatuses)[number]

/** The stored content of a version. Its parent is the template, and its name is its number. A published version never changes. */
export interface TemplateVersionContent extends TemplateSettings {
  /** From 1. */
  readonly versionNumber: number
  readonly status: VersionStatus
  readonly publishedAt: Instant | null
  /** The id of the `templateBody`. A draft shares the body of its source version until its own body changes. */
  readonly bodyId: string
  /** The size of both bodies together, in bytes of UTF-8. Stored records have this name. */
  readonly bodyOctets: number
}

/** The parts of a version in which nothing is set. */
export const emptyParts: TemplateParts = {
  subject: null,
  previewText: null,
  fromName: null,
  fromAddress: null,
  replyTo: null,
  html: null,
  text: null,
  variables: []
}
