/**
 * Merges a request into the content of a template and its draft. Assigns ids to variables and checks the sizes.
 * Source: decisions 0027 and 0031.
 */
import { Result } from "effect"
import type { IdBlock } from "../domain/Id.ts"
import { idAt } from "../domain/Id.ts"
import type { Issue } from "../domain/Issue.ts"
import { issue } from "../domain/Issue.ts"
import type {
  AskedVariable,
  CreateTemplate,
  Template,
  TemplateContent,
  TemplateSettings,
  TemplateVariable,
  UpdateTemplate
} from "../domain/Template.ts"
import { utf8Octets } from "../domain/TextLength.ts"

/** The maximum octets of a version's settings as JSON. A page of 100 templates with two versions each is thus smaller than 1 MiB. */
const settingsOctetsMax = 4096
/** The maximum octets, as JSON, of the fields of a template outside its versions. */
const aboutOctetsMax = 1024

const jsonOctets = (value: unknown): number => utf8Octets(JSON.stringify(value))

/** Makes the variables. A variable keeps its id while its key does not change. */
const variablesOf = (
  requested: ReadonlyArray<AskedVariable>,
  existing: ReadonlyArray<TemplateVariable>,
  ids: IdBlock
): Result.Result<ReadonlyArray<TemplateVariable>, ReadonlyArray<Issue>> => {
  const issues: Array<Issue> = []
  const seen = new Set<string>()
  const variables = requested.map(({ key, type, required = false, fallback_value: fallbackValue = null }, n) => {
    if (seen.has(key)) issues.push(issue(["variables", n, "key"], "invalid_value", "is declared twice"))
    seen.add(key)
    if (fallbackValue !== null && typeof fallbackValue !== type)
      issues.push(issue(["variables", n, "fallback_value"], "invalid_type", `must be a ${type}`))
    const id = existing.find((one) => one.key === key)?.id ?? idAt(ids, "var", n + 2)
    return { id, key, type, required, fallbackValue }
  })
  return issues.length > 0 ? Result.fail(issues) : Result.succeed(variables)
}

/** Returns the requested text, or `null` if it is empty. An absent text keeps the existing one. */
const orExisting = (requested: string | null | undefined, existing: string | null): string | null =>
  requested === undefined ? existing : requested === "" ? null : requested

export const bodyFields = ["html", "text"] as const satisfies ReadonlyArray<keyof UpdateTemplate>

const settingsFields = [
  "variables",
  "preview_text",
  "subject",
  "from_name",
  "from_address",
  "reply_to"
] as const satisfies ReadonlyArray<keyof UpdateTemplate>

export const contentFields = [...settingsFields, ...bodyFields]

const settingsIssues = (request: UpdateTemplate, settings: TemplateSettings): ReadonlyArray<Issue> => {
  const { subject, previewText, fromName, fromAddress, replyTo, variables } = settings
  const changed = settingsFields.find((field) => request[field] !== undefined)
  return changed === undefined ||
    jsonOctets([subject, previewText, fromName, fromAddress, replyTo, variables]) <= settingsOctetsMax
    ? []
    : [
        issue(
          [changed],
          "too_large",
          `makes the version larger than ${settingsOctetsMax} octets of JSON without its html and text`
        )
      ]
}

/** Merges a request into a version's content. Fails with the issues of the variables, or of the size. */
const contentAfter = (
  request: UpdateTemplate,
  existing: TemplateContent,
  ids: IdBlock
): Result.Result<TemplateContent, ReadonlyArray<Issue>> =>
  Result.flatMap(
    request.variables === undefined
      ? Result.succeed(existing.variables)
      : variablesOf(request.variables, existing.variables, ids),
    (variables) => {
      const content: TemplateContent = {
        subject: orExisting(request.subject, existing.subject),
        previewText: orExisting(request.preview_text, existing.previewText),
        fromName: orExisting(request.from_name, existing.fromName),
        fromAddress: orExisting(request.from_address, existing.fromAddress),
        replyTo: orExisting(request.reply_to, existing.replyTo),
        html: orExisting(request.html, existing.html),
        text: orExisting(request.text, existing.text),
        variables
      }
      const issues = settingsIssues(request, content)
      return issues.length > 0 ? Result.fail(issues) : Result.succeed(content)
    }
  )

/** The fields of a template outside its versions. */
type About = Pick<Template, "name" | "alias" | "description" | "category" | "locale">

const aboutFields = ["description", "category", "name", "alias", "locale"] as const satisfies ReadonlyArray<keyof About>

const aboutAfter = (
  request: CreateTemplate | UpdateTemplate,
  existing: About
): Result.Result<About, ReadonlyArray<Issue>> => {
  const about: About = {
    name: request.name ?? existing.name,
    alias: orExisting(request.alias, existing.alias),
    description: orExisting(request.description, existing.description),
    category: orExisting(request.category, existing.category),
    locale: orExisting(request.locale, existing.locale)
  }
  const changed = aboutFields.find((field) => request[field] !== undefined)
  return changed === undefined || jsonOctets(aboutFields.map((field) => about[field])) <= aboutOctetsMax
    ? Result.succeed(about)
    : Result.fail([
        issue(
          [changed],
          "too_large",
          `makes the template larger than ${aboutOctetsMax} octets of JSON without its versions`
        )
      ])
}

export interface TemplateText {
  readonly about: About
  readonly content: TemplateContent
}

/** Merges a request into a template and its draft. Fails with all issues of the variables and sizes. */
export const textAfter = (
  request: CreateTemplate | UpdateTemplate,
  existing: TemplateText,
  ids: IdBlock
): Result.Result<TemplateText, ReadonlyArray<Issue>> => {
  const about = aboutAfter(request, existing.about)
  const content = contentAfter(request, existing.content, ids)
  if (Result.isSuccess(about) && Result.isSuccess(content))
    return Result.succeed({ about: about.success, content: content.success })
  const aboutIssues = Result.isFailure(about) ? about.failure : []
  const contentIssues = Result.isFailure(content) ? content.failure : []
  return Result.fail([...aboutIssues, ...contentIssues])
}
