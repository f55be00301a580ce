/**
 * Templates. A template has versions; at most one is the draft, and at most one is published. Source: decision 0027.
 */
import { Schema } from "effect"
import { decoder, says } from "./Issue.ts"
import type { Instant } from "./Instant.ts"
import { bodyOctetsMax } from "./SendRequest.ts"
import { TemplateValues, templateValuesMax } from "./TemplateValues.ts"
import { bodyOf, isSafeKey, lineOf, Mailbox, textOf } from "./TextRule.ts"

export interface Template {
  readonly name: string
  /** A name for use in programs, unique within the project. */
  readonly alias: string | null
  readonly description: string | null
  readonly category: string | null
  readonly locale: string | null
  readonly draftVersionId: string | null
  readonly publishedVersionId: string | null
  readonly archivedAt: Instant | null
}

/** The prefix of a template's id. An alias must not begin with it. */
const idStart = "tpl_"

/** Whether the text is a template's id. Otherwise it is an alias. */
export const isTemplateId = (text: string): boolean => text.startsWith(idStart)

export const templateStatuses = ["draft", "published", "changes_in_draft", "archived"] as const
export type TemplateStatus = (typeof templateStatuses)[number]

/** Returns the status of a template. `changes_in_draft` means that it has a published version and a draft. */
export const templateStatusOf = ({ archivedAt, publishedVersionId, draftVersionId }: Template): TemplateStatus => {
  if (archivedAt !== null) return "archived"
  if (publishedVersionId === null) return "draft"
  return draftVersionId === null ? "published" : "changes_in_draft"
}

export const variableTypes = ["string", "number", "boolean"] as const
export type VariableType = (typeof variableTypes)[number]
export type VariableValue = string | number | boolean

export interface TemplateVariable {
  readonly id: string
  readonly key: string
  readonly type: VariableType
  readonly required: boolean
  /** Replaces a missing value. */
  readonly fallbackValue: VariableValue | null
}

/** The content of a version without its bodies. Subject and preview text are Mustache. */
export interface TemplateSettings {
  readonly subject: string | null
  readonly previewText: string | null
  readonly fromName: string | null
  readonly fromAddress: string | null
  readonly replyTo: string | null
  readonly variables: ReadonlyArray<TemplateVariable>
}

/** The bodies of a version, in Mustache. They are a separate record, so that a listing of versions does not load them. */
export interface TemplateBody {
  readonly html: string | null
  readonly text: string | null
}

export interface TemplateContent extends TemplateSettings, TemplateBody {}

export const versionStatuses = ["draft", "published", "saved"] as const
export type VersionStatus = (typeof versionStatuses)[number]

/** A version. Its parent is the template, and its name is its number. The content of a published version never changes. */
export interface TemplateVersion extends TemplateSettings {
  /** From 1. */
  readonly versionNumber: number
  readonly status: VersionStatus
  readonly publishedAt: Instant | null
  /** The id of the `templateBody`. A draft shares the body of its source version until its own body changes. */
  readonly bodyId: string
  /** The size of both bodies together, in UTF-8. */
  readonly bodyOctets: number
}

/** The maximum octets of HTML and text in one page of versions: the maximum of the two bodies of one version. */
export const versionBodiesOctetsMax = 2 * bodyOctetsMax

export const emptyContent: TemplateContent = {
  subject: null,
  previewText: null,
  fromName: null,
  fromAddress: null,
  replyTo: null,
  html: null,
  text: null,
  variables: []
}

const variablesMax = 100

const Key = Schema.String.check(
  Schema.makeFilter((key: string) => /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(key) && isSafeKey(key), {
    ...says("invalid_value", "must be a letter and up to 63 letters, digits or underscores, and not a reserved name"),
    toJsonSchema: () => ({ pattern: "^[A-Za-z][A-Za-z0-9_]{0,63}$" })
  })
)

const Fallback = Schema.Union([textOf({ max: 2000 }), Schema.Finite, Schema.Boolean, Schema.Null]).annotate(
  says("invalid_type", "must be a string, a number, a boolean or null")
)

const Variable = Schema.Struct({
  key: Key,
  type: Schema.Literals(variableTypes).annotate(says("invalid_value", `must be one of ${variableTypes.join(", ")}`)),
  required: Schema.optionalKey(Schema.Boolean),
  fallback_value: Schema.optionalKey(Fallback)
}).annotate({ identifier: "TemplateVariableRequest" })
export type AskedVariable = typeof Variable.Type

const orNull = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** Each field can be `null` or `""`, which both mean that the text is not set. */
const content = {
  subject: orNull(textOf({ max: 2000 })),
  preview_text: orNull(textOf({ max: 2000 })),
  from_name: orNull(lineOf({ min: 1, max: 100 })),
  from_address: orNull(Mailbox),
  reply_to: orNull(Mailbox),
  html: orNull(bodyOf({ octetsMax: bodyOctetsMax })),
  text: orNull(bodyOf({ octetsMax: bodyOctetsMax })),
  variables: Schema.optionalKey(
    Schema.Array(Variable).check(
      Schema.isMaxLength(variablesMax, says("too_many_items", `must hold at most ${variablesMax} variables`))
    )
  )
}

const name = lineOf({ min: 1, max: 100 })
const about = {
  alias: orNull(
    Schema.String.check(
      Schema.isPattern(
        new RegExp(`^$|^(?!${idStart})[a-z0-9][a-z0-9_-]{0,63}$`, "u"),
        says(
          "invalid_value",
          `must be at most 64 lower-case letters, digits, hyphens or underscores, and not begin with ${idStart}`
        )
      )
    )
  ),
  description: orNull(textOf({ max: 500 })),
  category: orNull(lineOf({ min: 1, max: 100 })),
  locale: orNull(
    Schema.String.check(
      Schema.isPattern(
        /^$|^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$/u,
        says("invalid_value", "must be a language tag such as en or pt-BR")
      )
    )
  )
}

export const CreateTemplateBody = Schema.Struct({ name, ...about, ...content }).annotate({
  identifier: "CreateTemplateRequest"
})
export type CreateTemplate = typeof CreateTemplateBody.Type
export const parseCreateTemplate = decoder(CreateTemplateBody, { variables: variablesMax })

export const UpdateTemplateBody = Schema.Struct({ name: Schema.optionalKey(name), ...about, ...content }).annotate({
  identifier: "UpdateTemplateRequest"
})
export type UpdateTemplate = typeof UpdateTemplateBody.Type
export const parseUpdateTemplate = decoder(UpdateTemplateBody, { variables: variablesMax })

const previewedVersions = ["draft", "published"] as const

export const PreviewTemplateBody = Schema.Struct({
  variables: Schema.optionalKey(TemplateValues),
  version: Schema.optionalKey(
    Schema.Literals(previewedVersions).annotate(says("invalid_value", "must be draft or published"))
  )
}).annotate({ identifier: "PreviewTemplateRequest" })
export type PreviewTemplate = typeof PreviewTemplateBody.Type
export const parsePreviewTemplate = decoder(PreviewTemplateBody, { variables: templateValuesMax })
