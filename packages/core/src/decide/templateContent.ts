/**
 * What a version and its template say after a request: fields merged, variables with their ids, sizes within their bounds.
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

/** Octets of a version's settings as JSON. A page shows two versions of each of up to 100 templates in less than 1 MiB. */
const settingsOctetsMax = 4096
/** Octets as JSON of what a template says beside its versions. */
const aboutOctetsMax = 1024

const jsonOctets = (value: unknown): number => utf8Octets(JSON.stringify(value))

/** A variable keeps its id for as long as it keeps its key. */
const variablesOf = (
  asked: ReadonlyArray<AskedVariable>,
  existing: ReadonlyArray<TemplateVariable>,
  ids: IdBlock
): Result.Result<ReadonlyArray<TemplateVariable>, ReadonlyArray<Issue>> => {
  const issues: Array<Issue> = []
  const seen = new Set<string>()
  const variables = asked.map(({ key, type, required = false, fallback_value: fallbackValue = null }, n) => {
    if (seen.has(key)) issues.push(issue(["variables", n, "key"], "invalid_value", "is declared twice"))
    seen.add(key)
    if (fallbackValue !== null && typeof fallbackValue !== type)
      issues.push(issue(["variables", n, "fallback_value"], "invalid_type", `must be a ${type}`))
    const id = existing.find((one) => one.key === key)?.id ?? idAt(ids, "var", n + 2)
    return { id, key, type, required, fallbackValue }
  })
  return issues.length > 0 ? Result.fail(issues) : Result.succeed(variables)
}

/** The asked text; `null` where it is empty. What is not asked for stays. */
const orKept = (asked: string | null | undefined, kept: string | null): string | null =>
  asked === undefined ? kept : asked === "" ? null : asked

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

/** Fails with what is wrong with its variables, or with its size. */
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
        subject: orKept(request.subject, existing.subject),
        previewText: orKept(request.preview_text, existing.previewText),
        fromName: orKept(request.from_name, existing.fromName),
        fromAddress: orKept(request.from_address, existing.fromAddress),
        replyTo: orKept(request.reply_to, existing.replyTo),
        html: orKept(request.html, existing.html),
        text: orKept(request.text, existing.text),
        variables
      }
      const issues = settingsIssues(request, content)
      return issues.length > 0 ? Result.fail(issues) : Result.succeed(content)
    }
  )

/** What a template says beside its versions. */
type About = Pick<Template, "name" | "alias" | "description" | "category" | "locale">

const aboutFields = ["description", "category", "name", "alias", "locale"] as const satisfies ReadonlyArray<keyof About>

const aboutAfter = (
  request: CreateTemplate | UpdateTemplate,
  existing: About
): Result.Result<About, ReadonlyArray<Issue>> => {
  const about: About = {
    name: request.name ?? existing.name,
    alias: orKept(request.alias, existing.alias),
    description: orKept(request.description, existing.description),
    category: orKept(request.category, existing.category),
    locale: orKept(request.locale, existing.locale)
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

/** What a template and its draft say after a request. Fails with everything that is wrong with its variables and sizes. */
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
