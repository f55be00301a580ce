/**
 * The input of the template services, and its validation. Validation here uses only the input. Source: decisions 0027 and 0031.
 */
import { Result, Schema } from "effect"
import { bodyBytesMax } from "../message/SendRequest.ts"
import type { PageInput, PageRequest } from "../store/Paging.ts"
import { pageLimitDefault } from "../store/Paging.ts"
import { pageFields, pageOrDefault, SearchText, TextOrNull } from "../store/PagingRequest.ts"
import { isFields } from "../value/Fields.ts"
import type { Issue, Parser } from "../value/Issue.ts"
import { decoder, issue, says, withoutUndefined, withRules } from "../value/Issue.ts"
import { Finite, wholeOf } from "../value/NumberRule.ts"
import { bodyOf, choiceOrNull, isSafeKey, lineOf, Mailbox, textOf } from "../value/TextRule.ts"
import type { TemplateStatus, VariableType, VariableValue } from "./TemplateContent.ts"
import { templateIdPrefix, templateStatuses, variableTypes } from "./TemplateContent.ts"
import { TemplateValues, templateValuesMax } from "./TemplateValues.ts"

/** A variable to declare. */
export interface TemplateVariableInput {
  /** A letter and up to 63 letters, digits or underscores; unique within the template. */
  readonly key: string
  /** The type of the variable's values. */
  readonly type: VariableType
  /** Whether a send must give a value when there is no fallback value. Default: `false`. */
  readonly required?: boolean | undefined
  /** A value of the type that replaces a missing value. A text has at most 2,000 characters. Default: `null`, which means none. */
  readonly fallbackValue?: VariableValue | null | undefined
}

/** The parts of a version to set. `null` means that a part is not set; an empty subject, preview text or body means the same. */
interface TemplatePartsInput {
  /** In Mustache, at most 2,000 characters. A template needs a subject to be published. */
  readonly subject?: string | null | undefined
  /** The text that mail programs show next to the subject, in Mustache. At most 2,000 characters. */
  readonly previewText?: string | null | undefined
  /** The name of the sender, for sends without a name of their own. 1 to 100 characters in one line. */
  readonly fromName?: string | null | undefined
  /** A bare mailbox. Information for the people who write the send; Mailkeep does not use this address. */
  readonly fromAddress?: string | null | undefined
  /** A bare mailbox: the reply address, for sends without a reply address of their own. */
  readonly replyTo?: string | null | undefined
  /** In Mustache, at most 2 MiB. A template needs `html` or `text` to be published. */
  readonly html?: string | null | undefined
  /** In Mustache, at most 2 MiB. */
  readonly text?: string | null | undefined
  /** At most 100 variables. They replace all existing variables. */
  readonly variables?: ReadonlyArray<TemplateVariableInput> | undefined
}

interface TemplateAboutInput {
  /**
   * A name for use in programs, unique within the project: at most 64 lower-case letters, digits, hyphens or underscores.
   * Must not begin with `tpl_`. `null` and `""` both mean that there is none.
   */
  readonly alias?: string | null | undefined
  /** At most 500 characters. */
  readonly description?: string | null | undefined
  /** 1 to 100 characters in one line. */
  readonly category?: string | null | undefined
  /** A language tag, such as `en` or `pt-BR`. */
  readonly locale?: string | null | undefined
}

/** A new template. */
export interface CreateTemplateInput extends TemplateAboutInput, TemplatePartsInput {
  /** 1 to 100 characters in one line. */
  readonly name: string
}

/** The fields of a template to change. An absent field keeps its value. */
export interface UpdateTemplateInput extends TemplateAboutInput, TemplatePartsInput {
  /** 1 to 100 characters in one line. */
  readonly name?: string | undefined
}

/** A template as it must be. An absent field is cleared: an existing template loses the value that it had. */
export interface EnsureTemplateInput extends CreateTemplateInput {
  /** Identifies the template: at most 64 lower-case letters, digits, hyphens or underscores. Must not begin with `tpl_`. */
  readonly alias: string
}

/** The version of a template to preview, and the values to render. */
export interface PreviewTemplateInput {
  /** Texts, numbers and booleans by the key of the variable. At most 1,000 values. */
  readonly variables?: Readonly<Record<string, VariableValue | undefined>> | undefined
  /** Default: the draft, or the published version when there is no draft. */
  readonly version?: (typeof previewedVersions)[number] | undefined
}

/** Which templates to list. An absent field or `null` means no filter. */
export interface ListTemplatesInput extends PageInput {
  /** Only templates with this status. */
  readonly status?: TemplateStatus | null | undefined
  /** A part of the name, the alias or the description, at most 255 characters. Ignores case. */
  readonly search?: string | null | undefined
  /** Only templates with exactly this category. */
  readonly category?: string | null | undefined
}

/** Which versions of a template to list. */
export interface ListTemplateVersionsInput {
  /** The largest number of versions: 1 to 100. Default: 50. */
  readonly limit?: number | undefined
  /** Only versions with a smaller number, from 1. Absent or `null`: all versions. */
  readonly beforeVersion?: number | null | undefined
}

/** The maximum number of variables of a template. */
export const templateVariablesMax = 100

const Key = Schema.String.check(
  Schema.makeFilter((key: string) => /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(key) && isSafeKey(key), {
    ...says("invalid_value", "must be a letter and up to 63 letters, digits or underscores, and not a reserved name"),
    toJsonSchema: () => ({ pattern: "^[A-Za-z][A-Za-z0-9_]{0,63}$" })
  })
)

const Fallback = Schema.Union([textOf({ max: 2000 }), Finite, Schema.Boolean, Schema.Null]).annotate(
  says("invalid_type", "must be a string, a number, a boolean or null")
)

/** The rules for the fields of a variable. A binding uses them for a schema with names of its own. */
export const variableRules = {
  key: Key,
  type: Schema.Literals(variableTypes).annotate(says("invalid_value", `must be one of ${variableTypes.join(", ")}`)),
  required: Schema.optionalKey(Schema.Boolean),
  fallbackValue: Schema.optionalKey(Fallback)
}

const orNull = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** The rule for the declared variables, each of which matches the given schema. */
export const variablesRule = <S extends Schema.Top>(variable: S) =>
  Schema.optionalKey(
    Schema.Array(variable).check(
      Schema.isMaxLength(
        templateVariablesMax,
        says("too_many_items", `must hold at most ${templateVariablesMax} variables`)
      )
    )
  )

const alias = Schema.String.check(
  Schema.isPattern(
    new RegExp(`^$|^(?!${templateIdPrefix})[a-z0-9][a-z0-9_-]{0,63}$`, "u"),
    says(
      "invalid_value",
      `must be at most 64 lower-case letters, digits, hyphens or underscores, and not begin with ${templateIdPrefix}`
    )
  )
)

/** The rules for the fields of a template, without its variables. A binding uses them for a schema with names of its own. */
export const templateRules = {
  name: lineOf({ min: 1, max: 100 }),
  alias: orNull(alias),
  description: orNull(textOf({ max: 500 })),
  category: orNull(lineOf({ min: 1, max: 100 })),
  locale: orNull(
    Schema.String.check(
      Schema.isPattern(
        /^$|^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$/u,
        says("invalid_value", "must be a language tag such as en or pt-BR")
      )
    )
  ),
  subject: orNull(textOf({ max: 2000 })),
  previewText: orNull(textOf({ max: 2000 })),
  fromName: orNull(lineOf({ min: 1, max: 100 })),
  fromAddress: orNull(Mailbox),
  replyTo: orNull(Mailbox),
  html: orNull(bodyOf({ bytesMax: bodyBytesMax })),
  text: orNull(bodyOf({ bytesMax: bodyBytesMax }))
}

const fields = { ...templateRules, variables: variablesRule(Schema.Struct(variableRules)) }

/** Drops the fields of `variables` that are `undefined`. */
const withDefinedVariables = (input: unknown): unknown => {
  if (!isFields(input) || !Object.hasOwn(input, "variables")) return input
  const { variables } = input
  const defined = Array.isArray(variables)
    ? variables.slice(0, templateVariablesMax + 1).map(withoutUndefined)
    : withoutUndefined(variables)
  return { ...input, variables: defined }
}

const isVariableType = (value: unknown): value is VariableType => variableTypes.includes(value as VariableType)

/**
 * The issues of variables that are declared twice, and of fallback values of another type. `fallbackField` is the name of the field for a binding with
 * names of its own.
 */
export const variableIssues = (input: unknown, fallbackField = "fallbackValue"): ReadonlyArray<Issue> => {
  if (!isFields(input) || !Array.isArray(input["variables"])) return []
  const declared = new Set<unknown>()
  return (input["variables"] as ReadonlyArray<unknown>)
    .slice(0, templateVariablesMax)
    .flatMap((variable, n): ReadonlyArray<Issue> => {
      if (!isFields(variable)) return []
      const { key, type, [fallbackField]: fallback } = variable
      const isTwice = typeof key === "string" && declared.has(key)
      declared.add(key)
      const hasOtherType = isVariableType(type) && isVariableType(typeof fallback) && typeof fallback !== type
      return [
        ...(isTwice ? [issue(["variables", n, "key"], "invalid_value", "is declared twice")] : []),
        ...(hasOtherType ? [issue(["variables", n, fallbackField], "invalid_type", `must be a ${type}`)] : [])
      ]
    })
}

declare const valid: unique symbol

/** A decoder that allows `undefined` in `variables`. */
const parserOf = <S extends Schema.Decoder<unknown>>(schema: S, entriesMax: number): Parser<S["Type"]> => {
  const decode = decoder(schema, { variables: entriesMax })
  return (input) => decode(withDefinedVariables(input))
}

/** The parser of a template: its fields, and the rules for its variables. */
const templateParserOf = <S extends Schema.Decoder<unknown>>(schema: S): Parser<S["Type"]> =>
  withRules(parserOf(schema, templateVariablesMax), variableIssues)

const CreateTemplate = Schema.Struct(fields)
/** A new template that `parseCreateTemplate` has checked. */
export type ValidCreateTemplate = typeof CreateTemplate.Type & { readonly [valid]: "create" }
export const parseCreateTemplate = templateParserOf(CreateTemplate) as Parser<ValidCreateTemplate>

const UpdateTemplate = Schema.Struct({ ...fields, name: Schema.optionalKey(fields.name) })
/** A change of a template that `parseUpdateTemplate` has checked. */
export type ValidUpdateTemplate = typeof UpdateTemplate.Type & { readonly [valid]: "update" }
export const parseUpdateTemplate = templateParserOf(UpdateTemplate) as Parser<ValidUpdateTemplate>

const EnsureTemplate = Schema.Struct({
  ...fields,
  alias: alias.check(Schema.isMinLength(1, says("too_short", "must have at least 1 character")))
})
/** A template that must exist and that `parseEnsureTemplate` has checked. */
export type ValidEnsureTemplate = typeof EnsureTemplate.Type & { readonly [valid]: "ensure" }
export const parseEnsureTemplate = templateParserOf(EnsureTemplate) as Parser<ValidEnsureTemplate>

/** A declared variable that was checked. */
export type ValidVariable = NonNullable<ValidUpdateTemplate["variables"]>[number]

const previewedVersions = ["draft", "published"] as const

/** The schema of `PreviewTemplateInput`. */
export const PreviewTemplateBody = Schema.Struct({
  variables: Schema.optionalKey(TemplateValues),
  version: Schema.optionalKey(
    Schema.Literals(previewedVersions).annotate(says("invalid_value", "must be draft or published"))
  )
}).annotate({ identifier: "PreviewTemplateRequest" })
/** Parses the input of a preview. */
export const parsePreviewTemplate = parserOf(PreviewTemplateBody, templateValuesMax)

const decodeList = decoder(
  Schema.Struct({
    status: Schema.optionalKey(choiceOrNull(templateStatuses)),
    search: Schema.optionalKey(SearchText),
    category: Schema.optionalKey(TextOrNull),
    ...pageFields
  })
)

/** The filters and the page of a listing of templates; `null` means no filter. */
export interface ListedTemplates {
  readonly status: TemplateStatus | null
  readonly search: string | null
  readonly category: string | null
  readonly page: PageRequest
}

/** Parses the filters and the page of a listing of templates, and adds the defaults. */
export const parseListTemplates: Parser<ListedTemplates> = (input = {}) =>
  Result.map(decodeList(input), ({ status = null, search = null, category = null, ...page }) => ({
    status,
    search,
    category,
    page: pageOrDefault(page)
  }))

const decodeVersions = decoder(
  Schema.Struct({
    limit: pageFields.limit,
    beforeVersion: orNull(wholeOf(1, Number.MAX_SAFE_INTEGER))
  })
)

export interface ListedTemplateVersions {
  readonly limit: number
  /** Only versions before the one with this number; `null` for all. */
  readonly beforeVersion: number | null
}

/** Parses the page of a listing of versions, and adds the defaults. */
export const parseListTemplateVersions: Parser<ListedTemplateVersions> = (input = {}) =>
  Result.map(decodeVersions(input), ({ limit = pageLimitDefault, beforeVersion = null }) => ({ limit, beforeVersion }))
