/**
 * What is wrong with one field of a request, in a closed list of codes.
 * Turns the issues of a schema into it; never repeats what the caller sent.
 */
import type { SchemaIssue } from "effect"
import { Result, Schema } from "effect"

/** The closed list of `details.issues[].code`, each with what it says. Source: decision 0009. */
export const issueCodes = {
  required: "The field must be present.",
  unknown_field: "No such field; a misspelt one must not be ignored.",
  invalid_type: "The value has another JSON type.",
  invalid_value: "The value has the right type but not an allowed form.",
  too_short: "Fewer characters or items than allowed.",
  too_long: "More characters or octets than allowed.",
  too_small: "A number below its minimum.",
  too_large: "A number above its maximum, or an object above its size.",
  too_many_items: "More entries than the list or object may hold.",
  too_many_recipients: "`to`, `cc` and `bcc` together hold more than 50 addresses.",
  not_allowed_here: "The field is not allowed beside the others.",
  malformed_json: "The body is not JSON.",
  too_deep: "Arrays and objects of the body are nested too deeply.",
  unsupported_media_type: "The body is not `application/json`.",
  not_in_future: "The time has passed.",
  too_far_ahead: "The time is more than 30 days ahead.",
  undefined_property: "No custom property of this key is defined.",
  duplicate_property: "Two spellings of one property key.",
  unknown_template: "No published template has this id or alias.",
  unknown_variable: "The template declares no such variable.",
  malformed_template: "The template is not well-formed, or uses what is not declared or not allowed.",
  idempotency_key_reused: "The key was used for another request.",
  invalid_cursor: "The cursor was altered, or belongs to another project or other filters."
} as const

export type IssueCode = keyof typeof issueCodes

export interface Issue {
  readonly path: ReadonlyArray<string | number>
  readonly code: IssueCode
  /** A predicate: it makes a sentence behind the field's name, such as "must be a number". No full stop. */
  readonly message: string
}

/** Which part of a request the paths of its issues are within. */
export type IssueContext = "path" | "headers" | "query" | "body"

/** Names of our fields have this form. The length leaves out every API key and webhook secret that is sent as a name by mistake. */
const nameForm = /^[A-Za-z_][A-Za-z0-9_.-]{0,39}$/

/** Names a field of a request. A name of another form, which only a caller can have made up, is shown as `[…]`. */
const fieldName = (context: IssueContext, path: Issue["path"]): string =>
  path.reduce<string>(
    (name, part) =>
      typeof part === "number" ? `${name}[${part}]` : nameForm.test(part) ? `${name}.${part}` : `${name}[…]`,
    context
  )

/**
 * Says the first issue, and how many more there are: "body.properties.score must be a number, and 1 more".
 * Source: decision 0009.
 */
export const issuesSentence = (context: IssueContext, issues: ReadonlyArray<Issue>): string => {
  const [first] = issues
  if (first === undefined) return `${context} is not valid`
  const more = issues.length > 1 ? `, and ${issues.length - 1} more` : ""
  return `${fieldName(context, first.path)} ${first.message}${more}`
}

export const issue = (path: Issue["path"], code: IssueCode, message: string): Issue => ({ path, code, message })

/** The annotations that give a schema's check its code and words. */
export const says = (code: IssueCode, message: string) => ({ code, message, expected: message })

interface Said {
  readonly code?: unknown
  readonly message?: unknown
}

const pathOf = (path: ReadonlyArray<PropertyKey>): Issue["path"] =>
  path.map((key) => (typeof key === "symbol" ? String(key) : key))

const jsonTypes: Readonly<Record<string, string>> = {
  String: "a string",
  Number: "a number",
  Boolean: "a boolean",
  Null: "null",
  Objects: "an object",
  Arrays: "an array"
}

const leaf = (node: SchemaIssue.Issue, path: Issue["path"]): Issue => {
  switch (node._tag) {
    case "MissingKey":
      return issue(path, "required", "is required")
    case "UnexpectedKey":
      return issue(path, "unknown_field", "is not a field of this request")
    case "InvalidValue":
      return issue(path, "invalid_value", String((node.annotations as Said | undefined)?.message ?? "is not allowed"))
    case "InvalidType":
    case "AnyOf":
    case "OneOf": {
      const words = node.ast.annotations as Said | undefined
      return words?.code === undefined
        ? issue(path, "invalid_type", `must be ${jsonTypes[node.ast._tag] ?? "of another type"}`)
        : issue(path, words.code as IssueCode, String(words.message))
    }
    default:
      return issue(path, "invalid_value", "is not allowed")
  }
}

/** All the issues of a schema's refusal, with their codes, in the order of the fields. */
export const issuesOf = (node: SchemaIssue.Issue, path: Issue["path"] = []): ReadonlyArray<Issue> => {
  switch (node._tag) {
    case "Pointer":
      return issuesOf(node.issue, [...path, ...pathOf(node.path)])
    case "Encoding":
      return issuesOf(node.issue, path)
    case "Composite":
      return node.issues.flatMap((inner) => issuesOf(inner, path))
    case "AnyOf":
      return node.issues.length === 0 ? [leaf(node, path)] : node.issues.flatMap((inner) => issuesOf(inner, path))
    case "Filter": {
      const words = node.filter.annotations as Said | undefined
      return words?.code === undefined
        ? issuesOf(node.issue, path)
        : [issue(path, words.code as IssueCode, String(words.message))]
    }
    default:
      return [leaf(node, path)]
  }
}

/** How many entries of a field's list or object are looked at, by field. */
export type EntriesMax = Readonly<Record<string, number>>

/** A request has far fewer fields; a body with more is not looked through. */
const fieldsMax = 100

const firstEntries = (fields: object, max: number): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).slice(0, max))

const tooMany = (path: Issue["path"], max: number) => issue(path, "too_many_items", `must have at most ${max} entries`)

/**
 * The input without what goes over the bounds, and an issue for each place that did: an oversized list is one problem, not one for
 * each of its entries.
 */
const withinBounds = (input: unknown, entriesMax: EntriesMax): readonly [unknown, ReadonlyArray<Issue>] => {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [input, []]
  const found: Array<Issue> = []
  let fields = input as Readonly<Record<string, unknown>>
  if (Object.keys(fields).length > fieldsMax) {
    found.push(tooMany([], fieldsMax))
    fields = firstEntries(fields, fieldsMax)
  }
  for (const [field, max] of Object.entries(entriesMax)) {
    const value = Object.hasOwn(fields, field) ? fields[field] : undefined
    if (typeof value !== "object" || value === null) continue
    const count = Array.isArray(value) ? value.length : Object.keys(value).length
    if (count <= max) continue
    found.push(tooMany([field], max))
    fields = { ...fields, [field]: Array.isArray(value) ? value.slice(0, max) : firstEntries(value, max) }
  }
  return [fields, found]
}

/**
 * A decoder that reports every issue of a value, unknown fields too, each place at most once with one code.
 * Make it once, at the top of a module.
 */
export const decoder = <S extends Schema.Decoder<unknown>>(schema: S, entriesMax: EntriesMax = {}) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  return (input: unknown): Result.Result<S["Type"], ReadonlyArray<Issue>> => {
    const [bounded, oversized] = withinBounds(input, entriesMax)
    const decoded = decode(bounded)
    if (Result.isSuccess(decoded))
      return oversized.length === 0 ? Result.succeed(decoded.success) : Result.fail(oversized)
    return Result.fail(distinctIssues([...oversized, ...issuesOf(decoded.failure.issue)]))
  }
}

/** The first issue of each place and code. */
export const distinctIssues = (issues: ReadonlyArray<Issue>): ReadonlyArray<Issue> => {
  const seen = new Set<string>()
  return issues.filter(({ path, code }) => {
    const place = `${code} ${JSON.stringify(path)}`
    return !seen.has(place) && seen.add(place)
  })
}
