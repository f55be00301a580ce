/**
 * Judges a template's Mustache and renders it with values: escaped in HTML, raw elsewhere. Source: decision 0027.
 */
import { Result } from "effect"
import Mustache from "mustache"
import type { Issue } from "../domain/Issue.ts"
import { issue } from "../domain/Issue.ts"
import { bodyOctetsMax } from "../domain/SendRequest.ts"
import type { TemplateContent, TemplateVariable, VariableValue } from "../domain/Template.ts"
import { codePoints, utf8Octets } from "../domain/TextLength.ts"
import { isOneLine } from "../domain/TextRule.ts"

export interface RenderedTemplate {
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
}

/** Parsed templates, so that a busy one is parsed once; no more than this many are kept. */
const parsedMax = 200

class ParsedTemplates {
  readonly #kept = new Map<string, unknown>()
  get(key: string) {
    return this.#kept.get(key)
  }
  set(key: string, parsed: unknown) {
    if (this.#kept.size >= parsedMax) this.#kept.delete(this.#kept.keys().next().value!)
    this.#kept.set(key, parsed)
  }
  clear() {
    this.#kept.clear()
  }
}

const writer = new Mustache.Writer()
Object.assign(writer, { templateCache: new ParsedTemplates() })

/** As Mustache parses it: the kind of a tag, its name, and for a section its inner tokens. */
type Token = readonly [kind: string, name: string, start: number, end: number, inner?: ReadonlyArray<Token>]

/** Everything a template may not say: tags that are not declared, partials, sections left open. */
const tagIssues = (field: string, template: string, declared: ReadonlySet<string>): ReadonlyArray<Issue> => {
  const walk = (tokens: ReadonlyArray<Token>): ReadonlyArray<Issue> =>
    tokens.flatMap(([kind, name, , , inner]) => {
      if (kind === ">") return [issue([field], "malformed_template", "must not use partials")]
      const known = kind === "text" || kind === "!" || kind === "=" || declared.has(name)
      const within = Array.isArray(inner) ? walk(inner as ReadonlyArray<Token>) : []
      return known
        ? within
        : [issue([field], "malformed_template", `uses the variable ${shown(name)}, which is not declared`), ...within]
    })
  try {
    return walk(Mustache.parse(template) as unknown as ReadonlyArray<Token>)
  } catch {
    return [issue([field], "malformed_template", "has a tag or section that is not closed")]
  }
}

/** A name that could be a variable; anything else is not repeated. */
const shown = (name: string): string => (/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name) ? `"${name}"` : "of another form")

const parts = (content: TemplateContent) =>
  [
    ["subject", content.subject],
    ["preview_text", content.previewText],
    ["html", content.html],
    ["text", content.text]
  ] as const

/** What keeps a version from being published. */
export const publishingIssues = (content: TemplateContent): ReadonlyArray<Issue> => {
  const declared = new Set(content.variables.map(({ key }) => key))
  return [
    ...(content.subject === null ? [issue(["subject"], "required", "is required to publish")] : []),
    ...(content.html === null && content.text === null
      ? [issue(["html"], "required", "is required to publish without text")]
      : []),
    ...parts(content).flatMap(([field, template]) => (template === null ? [] : tagIssues(field, template, declared)))
  ]
}

type Values = Readonly<Record<string, VariableValue>>

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

/** The values that the template is rendered with, or what is wrong with those that were given. `field` names where they were. */
const resolved = (
  variables: ReadonlyArray<TemplateVariable>,
  given: Values,
  field: string
): Result.Result<Values, ReadonlyArray<Issue>> => {
  const issues: Array<Issue> = []
  const values: Record<string, VariableValue> = {}
  for (const variable of variables) {
    const value = valueOf(variable, Object.hasOwn(given, variable.key) ? given[variable.key] : undefined, field)
    if (Result.isFailure(value)) issues.push(value.failure)
    else if (value.success !== undefined) values[variable.key] = value.success
  }
  const declared = new Set(variables.map(({ key }) => key))
  for (const key of Object.keys(given))
    if (!declared.has(key)) issues.push(issue([field, key], "unknown_variable", "is not a variable of the template"))
  return issues.length > 0 ? Result.fail(issues) : Result.succeed(values)
}

const raw = (value: unknown): string => String(value)

/** Shown by mail programs beside the subject, and hidden in the message itself. */
const withPreview = (html: string, preview: string): string => {
  const hidden = `<div style="display:none;max-height:0;overflow:hidden">${Mustache.escape(preview)}</div>`
  const body = /<body\b[^>]*>/i.exec(html)
  if (body === null) return hidden + html
  const end = body.index + body[0].length
  return html.slice(0, end) + hidden + html.slice(end)
}

const subjectCharactersMax = 500

/** A template may be valid and what it says with these values not. */
const renderedIssues = ({ subject, html, text }: RenderedTemplate, field: string): ReadonlyArray<Issue> => [
  ...(!isOneLine(subject) ? [issue([field], "invalid_value", "puts a control character into the subject")] : []),
  ...(subject.length === 0 || codePoints(subject) > subjectCharactersMax
    ? [
        issue(
          [field],
          "invalid_value",
          `makes a subject that is empty or longer than ${subjectCharactersMax} characters`
        )
      ]
    : []),
  ...[html, text].flatMap((body) =>
    body !== null && utf8Octets(body) > bodyOctetsMax
      ? [issue([field], "too_large", `makes a body of more than ${bodyOctetsMax} octets`)]
      : []
  )
]

/** Renders a version that may be published. */
export const renderTemplate = (
  content: TemplateContent,
  given: Values,
  field: string
): Result.Result<RenderedTemplate, ReadonlyArray<Issue>> =>
  Result.flatMap(resolved(content.variables, given, field), (values) => {
    const render = (template: string, escape: (value: unknown) => string) =>
      writer.render(template, values, undefined, { escape })
    const preview = content.previewText === null ? "" : render(content.previewText, raw)
    const html = content.html === null ? null : render(content.html, Mustache.escape)
    const rendered: RenderedTemplate = {
      subject: render(content.subject ?? "", raw),
      html: html === null || preview === "" ? html : withPreview(html, preview),
      text: content.text === null ? null : render(content.text, raw)
    }
    const issues = renderedIssues(rendered, field)
    return issues.length > 0 ? Result.fail(issues) : Result.succeed(rendered)
  })
