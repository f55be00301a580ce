/**
 * Checks a template's Mustache and renders it with values. Values are escaped only in HTML. Source: decisions 0027 and 0031.
 */
import { Result } from "effect"
import type { Issue } from "../../domain/value/Issue.ts"
import { distinctIssues, issue } from "../../domain/value/Issue.ts"
import type { MustacheFault } from "../../domain/template/Mustache.ts"
import {
  escapeHtml,
  parseMustache,
  renderMustache,
  delimiterUnitsMax,
  templateTagsMax
} from "../../domain/template/Mustache.ts"
import { bodyBytesMax } from "../../domain/message/SendRequest.ts"
import type { TemplateParts, TemplateVariable, VariableValue } from "../../domain/template/TemplateContent.ts"
import { codePoints, utf8Bytes } from "../../domain/value/TextLength.ts"
import { isOneLine } from "../../domain/value/oneLine.ts"
import { hasAtMost } from "../../domain/value/TextRule.ts"
import { withPreview } from "./previewText.ts"

/** The content of a message that a template makes. */
export interface RenderedTemplate {
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
}

const faultMessages: Readonly<Record<MustacheFault, string>> = {
  too_many_tags: `must have at most ${templateTagsMax} tags`,
  tag_not_closed: "has a tag that is not closed",
  section_not_closed:
    "has a section that is not closed: {{#name}} ends with {{/name}}, and has the name of a variable alone",
  section_not_opened: "closes a section that is not open",
  delimiters_not_two: "must change both delimiters at once",
  delimiter_too_long: `must have delimiters of at most ${delimiterUnitsMax} characters`
}

const faultIssue = (field: string, fault: MustacheFault): Issue =>
  issue([field], fault === "too_many_tags" ? "too_many_items" : "malformed_template", faultMessages[fault])

/** What is wrong with the name in a tag. Shows the name only if it has the form of a variable's name. */
const nameFault = (name: string): string =>
  /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name)
    ? `uses the variable "${name}", which is not declared`
    : "has a tag that names no variable: a name is a letter and up to 63 letters, digits or underscores"

/** Returns the issues of a template: syntax faults, partials and undeclared variables, with each name once. */
const tagIssues = (field: string, template: string, declared: ReadonlySet<string>): ReadonlyArray<Issue> => {
  const tokens = parseMustache(template)
  if (Result.isFailure(tokens)) return [faultIssue(field, tokens.failure)]
  const tags = tokens.success.filter(({ kind }) => kind !== "text" && kind !== "end")
  const partials = tags.some(({ kind }) => kind === "partial")
  const unknown = new Set(
    tags.flatMap(({ kind, value }) => (kind === "partial" || declared.has(value) ? [] : [nameFault(value)]))
  )
  return [
    ...(partials ? [issue([field], "malformed_template", "must not use partials")] : []),
    ...[...unknown].map((fault) => issue([field], "malformed_template", fault))
  ]
}

const templatesOf = (content: TemplateParts) =>
  [
    ["subject", content.subject],
    ["previewText", content.previewText],
    ["html", content.html],
    ["text", content.text]
  ] as const

const subjectCharactersMax = 500

/** The text that each rendering of a template has: the text outside of sections. */
const constantText = (template: string): string => {
  const tokens = parseMustache(template)
  if (Result.isFailure(tokens)) return ""
  const texts: Array<string> = []
  for (let at = 0; at < tokens.success.length; at++) {
    const { kind, value, end } = tokens.success[at]!
    if (kind === "text") texts.push(value)
    else if (kind === "section" || kind === "inverted") at = end
  }
  return texts.join("")
}

/** Returns the issues of a subject with which no send is accepted, whatever the values of the variables. */
const constantSubjectIssues = (subject: string): ReadonlyArray<Issue> => {
  const text = constantText(subject)
  return [
    ...(isOneLine(text)
      ? []
      : [issue(["subject"], "invalid_value", "must be one line of well-formed Unicode without control characters")]),
    ...(hasAtMost(text, subjectCharactersMax)
      ? []
      : [issue(["subject"], "too_long", `must have at most ${subjectCharactersMax} characters`)])
  ]
}

/** Returns the issues that prevent the publication of a version. */
export const publishingIssues = (content: TemplateParts): ReadonlyArray<Issue> => {
  const declared = new Set(content.variables.map(({ key }) => key))
  return [
    ...(content.subject === null
      ? [issue(["subject"], "required", "is required to publish")]
      : constantSubjectIssues(content.subject)),
    ...(content.html === null && content.text === null
      ? [issue(["html"], "required", "is required to publish without text")]
      : []),
    ...templatesOf(content).flatMap(([field, template]) =>
      template === null ? [] : tagIssues(field, template, declared)
    )
  ]
}

type Given = Readonly<Record<string, VariableValue>>
/** A map, because a variable can have the name of an inherited member of an object, such as `toString`. */
type Values = ReadonlyMap<string, VariableValue>

const valueOf = (
  { key, type, required, fallbackValue }: TemplateVariable,
  given: VariableValue | undefined,
  field: string
): Result.Result<VariableValue | undefined, Issue> => {
  if (given !== undefined)
    return typeof given === type
      ? Result.succeed(given)
      : Result.fail(issue([field, key], "invalid_type", `must be a ${type}`))
  return required && fallbackValue === null
    ? Result.fail(issue([field, key], "required", "is required by the template"))
    : Result.succeed(fallbackValue ?? undefined)
}

/** Combines the given values with the fallbacks. Fails with the issues of the given values, with paths below `field`. */
const resolved = (
  variables: ReadonlyArray<TemplateVariable>,
  given: Given,
  field: string
): Result.Result<Values, ReadonlyArray<Issue>> => {
  const issues: Array<Issue> = []
  const values = new Map<string, VariableValue>()
  for (const variable of variables) {
    const value = valueOf(variable, Object.hasOwn(given, variable.key) ? given[variable.key] : undefined, field)
    if (Result.isFailure(value)) issues.push(value.failure)
    else if (value.success !== undefined) values.set(variable.key, value.success)
  }
  const declared = new Set(variables.map(({ key }) => key))
  for (const key of Object.keys(given))
    if (!declared.has(key)) issues.push(issue([field, key], "unknown_variable", "is not a variable of the template"))
  return issues.length > 0 ? Result.fail(issues) : Result.succeed(values)
}

const bodyTooLarge = (field: string) => issue([field], "too_large", `makes a body of more than ${bodyBytesMax} bytes`)
const subjectLength = (field: string) =>
  issue([field], "invalid_value", `makes a subject that is empty or longer than ${subjectCharactersMax} characters`)

const subjectIssues = (subject: string, field: string): ReadonlyArray<Issue> => [
  ...(!isOneLine(subject)
    ? [issue([field], "invalid_value", "puts a control character or ill-formed Unicode into the subject")]
    : []),
  ...(subject.length === 0 || codePoints(subject) > subjectCharactersMax ? [subjectLength(field)] : [])
]

const asIs = (text: string): string => text

/**
 * Renders a version that has no `publishingIssues`. Work and memory are bounded by the template's length and the maximum output.
 * The maximum output is a subject of 500 characters and bodies of 2 MiB each, including the preview text.
 * Issues of the values have paths below `field`.
 */
export const renderTemplate = (
  content: TemplateParts,
  given: Given,
  field: string
): Result.Result<RenderedTemplate, ReadonlyArray<Issue>> =>
  Result.flatMap(resolved(content.variables, given, field), (values) => {
    const issues: Array<Issue> = []
    const render = (template: string, escape: (text: string) => string, lengthMax: number) =>
      renderMustache(Result.getOrThrow(parseMustache(template)), values, { escape, lengthMax })
    const renderBody = (template: string | null, escape: (text: string) => string) => {
      if (template === null) return null
      const body = render(template, escape, bodyBytesMax)
      if (body === undefined) issues.push(bodyTooLarge(field))
      return body ?? ""
    }
    // A character has at most two UTF-16 units.
    const subject = render(content.subject ?? "", asIs, 2 * subjectCharactersMax)
    issues.push(...(subject === undefined ? [subjectLength(field)] : subjectIssues(subject, field)))
    const html = renderBody(content.html, escapeHtml)
    const preview = html === null ? null : renderBody(content.previewText, asIs)
    const text = renderBody(content.text, asIs)
    if (issues.length > 0) return Result.fail(distinctIssues(issues))
    const rendered: RenderedTemplate = {
      subject: subject ?? "",
      html: html === null || preview === null || preview === "" ? html : withPreview(html, preview),
      text
    }
    const tooLarge = [rendered.html, rendered.text].some((body) => body !== null && utf8Bytes(body) > bodyBytesMax)
    return tooLarge ? Result.fail([bodyTooLarge(field)]) : Result.succeed(rendered)
  })
