/**
 * An issue: what is wrong with one field of a request, with a code from a closed list.
 * Converts the issues of a schema. An issue does not repeat what the caller sent.
 */
import type { SchemaIssue } from "effect"
import { Result, Schema, SchemaAST } from "effect"
import { isRecord } from "./Fields.ts"

export { issuesSentence } from "./issuesSentence.ts"

/** The closed list of `details.issues[].code`, each with its meaning. Source: decision 0009. */
export const issueCodes = {
  required: "The field must be present.",
  unknown_field: "The request has no field of this name. It is refused, because the name can be a misspelling.",
  invalid_type: "The value has the wrong JSON type, or is not of the type of its property.",
  invalid_value: "The value has the right type, but its form is not allowed.",
  too_short: "The value has fewer characters or items than its minimum.",
  too_long: "The value has more characters or bytes than its maximum.",
  too_small: "The number is below its minimum.",
  too_large: "The number is above its maximum, or the object is larger than its maximum.",
  too_many_items: "The list or object has more entries than its maximum.",
  too_many_recipients: "`to`, `cc` and `bcc` together hold more than 50 addresses.",
  not_allowed_here: "The field is not allowed together with the other fields.",
  malformed_json: "The body is not JSON.",
  too_deep: "Arrays and objects of the body are nested too deeply.",
  unsupported_media_type: "The body is not `application/json`.",
  not_in_future: "The time has passed.",
  too_far_ahead: "The time is more than 30 days ahead.",
  undefined_property: "No custom property with this key is defined.",
  duplicate_property: "The object has two spellings of one property key.",
  unknown_template: "No published template has this id or alias.",
  unknown_variable: "The template does not declare this variable.",
  malformed_template:
    "The template is not well-formed, or it uses an undeclared variable or a tag that is not allowed.",
  idempotency_key_reused: "The idempotency key was used for another request.",
  invalid_cursor: "The cursor was altered, or belongs to another project or other filters."
} as const

/** What kind of problem an issue is. `issueCodes` has the meaning of each code. */
export type IssueCode = keyof typeof issueCodes

/** What is wrong with one field of an argument. */
export interface Issue {
  readonly path: ReadonlyArray<string | number>
  readonly code: IssueCode
  /** A predicate that follows the field's name, such as "must be a number". It has no full stop. */
  readonly message: string
}

/** The argument of a service's method to which the paths of the issues belong. */
export type ArgumentName = "ids" | "options" | "filters" | "input"

/** Makes an issue. */
export const issue = (path: Issue["path"], code: IssueCode, message: string): Issue => ({ path, code, message })

/** Makes the annotations that give a check of a schema its code and its message. */
export const says = (code: IssueCode, message: string) => ({ code, message, expected: message })

interface IssueAnnotations {
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

/** The values of a choice; `undefined` for another form. */
const choicesOf = (ast: SchemaAST.AST): string | undefined =>
  SchemaAST.isUnion(ast) && ast.types.every(SchemaAST.isLiteral)
    ? `one of ${ast.types.map(({ literal }) => String(literal)).join(", ")}`
    : undefined

/** The types that a value may have, such as `a string or null`; `undefined` for another form. */
const typesOf = (ast: SchemaAST.AST): string | undefined => {
  if (!SchemaAST.isUnion(ast)) return jsonTypes[ast._tag]
  const types = new Set(ast.types.map(typesOf))
  return choicesOf(ast) ?? (types.has(undefined) ? undefined : [...types].join(" or "))
}

const leaf = (node: SchemaIssue.Issue, path: Issue["path"]): Issue => {
  switch (node._tag) {
    case "MissingKey":
      return issue(path, "required", "is required")
    case "UnexpectedKey":
      return issue(path, "unknown_field", "is not a known field")
    case "InvalidValue":
      return issue(
        path,
        "invalid_value",
        String((node.annotations as IssueAnnotations | undefined)?.message ?? "is not allowed")
      )
    case "InvalidType":
    case "AnyOf":
    case "OneOf": {
      const annotations = node.ast.annotations as IssueAnnotations | undefined
      return annotations?.code === undefined
        ? issue(path, "invalid_type", `must be ${typesOf(node.ast) ?? "of another type"}`)
        : issue(path, annotations.code as IssueCode, String(annotations.message))
    }
    default:
      return issue(path, "invalid_value", "is not allowed")
  }
}

/** Converts a failure of a schema to issues with codes, in the order of the fields. */
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
      const annotations = node.filter.annotations as IssueAnnotations | undefined
      return annotations?.code === undefined
        ? issuesOf(node.issue, path)
        : [issue(path, annotations.code as IssueCode, String(annotations.message))]
    }
    default:
      return [leaf(node, path)]
  }
}

/** The maximum number of entries that are examined, for each field with a list or an object. */
export type EntriesMax = Readonly<Record<string, number>>

/** Every request has fewer fields. Further fields are not examined. */
const fieldsMax = 100

const firstEntries = (fields: object, max: number): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).slice(0, max))

const tooMany = (path: Issue["path"], max: number) => issue(path, "too_many_items", `must have at most ${max} entries`)

/**
 * Returns the input without the entries above the bounds, and one issue for each oversized field.
 * An oversized list thus gives one issue, and not one for each entry. A `Map` becomes `null`, as the input and as a field. The schema refuses `null`, and
 * would take a `Map` for an object without fields.
 */
const withinBounds = (input: unknown, entriesMax: EntriesMax): readonly [unknown, ReadonlyArray<Issue>] => {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [input, []]
  if (!isRecord(input)) return [null, []]
  const found: Array<Issue> = []
  let fields = input
  if (Object.keys(fields).length > fieldsMax) {
    found.push(tooMany([], fieldsMax))
    fields = firstEntries(fields, fieldsMax)
  }
  for (const [field, max] of Object.entries(entriesMax)) {
    const value = Object.hasOwn(fields, field) ? fields[field] : undefined
    if (typeof value !== "object" || value === null) continue
    if (!Array.isArray(value) && !isRecord(value)) {
      fields = { ...fields, [field]: null }
      continue
    }
    const count = Array.isArray(value) ? value.length : Object.keys(value).length
    if (count <= max) continue
    found.push(tooMany([field], max))
    fields = { ...fields, [field]: Array.isArray(value) ? value.slice(0, max) : firstEntries(value, max) }
  }
  return [fields, found]
}

/** The value without the fields that are `undefined`. A program may pass such a field; JSON cannot contain one. */
export const withoutUndefined = (input: unknown): unknown =>
  typeof input === "object" && input !== null && !Array.isArray(input) && Object.values(input).includes(undefined)
    ? Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
    : input

/** A function that validates a value. A parser of a branded type is the only way to make a value of that type. */
export type Parser<A> = (input: unknown) => Result.Result<A, ReadonlyArray<Issue>>

/**
 * Makes a decoder that reports all issues of a value, including unknown fields. A top-level field that is `undefined` counts as absent. Each path has each code at most once.
 * Call it once for each schema, at the top level of a module.
 */
export const decoder = <S extends Schema.Decoder<unknown>>(schema: S, entriesMax: EntriesMax = {}) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  return (input: unknown): Result.Result<S["Type"], ReadonlyArray<Issue>> => {
    const [bounded, oversized] = withinBounds(withoutUndefined(input), entriesMax)
    const decoded = decode(bounded)
    if (Result.isSuccess(decoded))
      return oversized.length === 0 ? Result.succeed(decoded.success) : Result.fail(oversized)
    return Result.fail(distinctIssues([...oversized, ...issuesOf(decoded.failure.issue)]))
  }
}

/**
 * Adds rules between fields, or within a text, that a schema does not check. They are checked even if the schema refuses other fields, so that one answer
 * has all issues.
 */
export const withRules =
  <A>(parse: Parser<A>, issuesOfRules: (input: unknown) => ReadonlyArray<Issue>) =>
  (input: unknown): Result.Result<A, ReadonlyArray<Issue>> => {
    const parsed = parse(input)
    const more = issuesOfRules(input)
    if (more.length === 0) return parsed
    return Result.fail(distinctIssues([...(Result.isFailure(parsed) ? parsed.failure : []), ...more]))
  }

/** Keeps the first issue of each path and code. */
export const distinctIssues = (issues: ReadonlyArray<Issue>): ReadonlyArray<Issue> => {
  const seen = new Set<string>()
  return issues.filter(({ path, code }) => {
    const identity = `${code} ${JSON.stringify(path)}`
    return !seen.has(identity) && seen.add(identity)
  })
}
