/**
 * Merges the input of a template into its fields and its draft. Assigns ids to variables and checks the sizes.
 * Source: decisions 0027 and 0031.
 */
import { Result } from "effect"
import type {
  TemplateAbout,
  TemplateParts,
  TemplateSettings,
  TemplateVariable
} from "../../domain/template/TemplateContent.ts"
import type {
  ValidCreateTemplate,
  ValidEnsureTemplate,
  ValidUpdateTemplate,
  ValidVariable
} from "../../domain/template/TemplateInput.ts"
import type { IdBlock } from "../../domain/value/Id.ts"
import { idAt } from "../../domain/value/Id.ts"
import type { Issue } from "../../domain/value/Issue.ts"
import { issue } from "../../domain/value/Issue.ts"
import { utf8Bytes } from "../../domain/value/TextLength.ts"

/** The maximum bytes of a version's settings as JSON. A page of 100 templates with two versions each is thus smaller than 1 MiB. */
const settingsBytesMax = 4096
/** The maximum bytes, as JSON, of the fields of a template outside its versions. */
const aboutBytesMax = 1024

const jsonBytes = (value: unknown): number => utf8Bytes(JSON.stringify(value))

type TemplateInput = ValidCreateTemplate | ValidUpdateTemplate | ValidEnsureTemplate

/** Makes the variables. A variable keeps its id while its key does not change. */
const variablesOf = (
  input: ReadonlyArray<ValidVariable>,
  existing: ReadonlyArray<TemplateVariable>,
  ids: IdBlock
): ReadonlyArray<TemplateVariable> =>
  input.map(({ key, type, required = false, fallbackValue = null }, n) => {
    const id = existing.find((one) => one.key === key)?.id ?? idAt(ids, "var", n + 2)
    return { id, key, type, required, fallbackValue }
  })

/** Returns the text of the input, or `null` if it is empty. An absent text keeps the existing one. */
const orExisting = (text: string | null | undefined, existing: string | null): string | null =>
  text === undefined ? existing : text === "" ? null : text

export const bodyFields = ["html", "text"] as const satisfies ReadonlyArray<keyof ValidUpdateTemplate>

const settingsFields = [
  "variables",
  "previewText",
  "subject",
  "fromName",
  "fromAddress",
  "replyTo"
] as const satisfies ReadonlyArray<keyof ValidUpdateTemplate>

/** The fields of the input that belong to a version. */
export const partsFields = [...settingsFields, ...bodyFields]

const settingsIssues = (input: TemplateInput, settings: TemplateSettings): ReadonlyArray<Issue> => {
  const { subject, previewText, fromName, fromAddress, replyTo, variables } = settings
  const changed = settingsFields.find((field) => input[field] !== undefined)
  return changed === undefined ||
    jsonBytes([subject, previewText, fromName, fromAddress, replyTo, variables]) <= settingsBytesMax
    ? []
    : [
        issue(
          [changed],
          "too_large",
          `makes the version larger than ${settingsBytesMax} bytes of JSON without its html and text`
        )
      ]
}

/** Merges the input into the parts of a version. Fails with the issue of the size. */
const partsAfter = (
  input: TemplateInput,
  existing: TemplateParts,
  ids: IdBlock
): Result.Result<TemplateParts, ReadonlyArray<Issue>> => {
  const parts: TemplateParts = {
    subject: orExisting(input.subject, existing.subject),
    previewText: orExisting(input.previewText, existing.previewText),
    fromName: orExisting(input.fromName, existing.fromName),
    fromAddress: orExisting(input.fromAddress, existing.fromAddress),
    replyTo: orExisting(input.replyTo, existing.replyTo),
    html: orExisting(input.html, existing.html),
    text: orExisting(input.text, existing.text),
    variables:
      input.variables === undefined ? existing.variables : variablesOf(input.variables, existing.variables, ids)
  }
  const issues = settingsIssues(input, parts)
  return issues.length > 0 ? Result.fail(issues) : Result.succeed(parts)
}

const aboutFields = ["description", "category", "name", "alias", "locale"] as const satisfies ReadonlyArray<
  keyof TemplateAbout
>

const aboutAfter = (
  input: TemplateInput,
  existing: TemplateAbout
): Result.Result<TemplateAbout, ReadonlyArray<Issue>> => {
  const about: TemplateAbout = {
    name: input.name ?? existing.name,
    alias: orExisting(input.alias, existing.alias),
    description: orExisting(input.description, existing.description),
    category: orExisting(input.category, existing.category),
    locale: orExisting(input.locale, existing.locale)
  }
  const changed = aboutFields.find((field) => input[field] !== undefined)
  return changed === undefined || jsonBytes(aboutFields.map((field) => about[field])) <= aboutBytesMax
    ? Result.succeed(about)
    : Result.fail([
        issue(
          [changed],
          "too_large",
          `makes the template larger than ${aboutBytesMax} bytes of JSON without its versions`
        )
      ])
}

/** The fields of a template, and the parts of its draft. */
export interface TemplateAndDraft {
  readonly about: TemplateAbout
  readonly parts: TemplateParts
}

/** Merges the input into a template and its draft. Fails with the issues of the sizes. */
export const mergeTemplateInput = (
  input: TemplateInput,
  existing: TemplateAndDraft,
  ids: IdBlock
): Result.Result<TemplateAndDraft, ReadonlyArray<Issue>> => {
  const about = aboutAfter(input, existing.about)
  const parts = partsAfter(input, existing.parts, ids)
  if (Result.isSuccess(about) && Result.isSuccess(parts))
    return Result.succeed({ about: about.success, parts: parts.success })
  const aboutIssues = Result.isFailure(about) ? about.failure : []
  const partsIssues = Result.isFailure(parts) ? parts.failure : []
  return Result.fail([...aboutIssues, ...partsIssues])
}
