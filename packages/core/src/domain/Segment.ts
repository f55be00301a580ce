/**
 * Segments: contacts that match a filter. The filter is an expression over contact fields, properties and lists.
 * Source: decision 0026.
 */
import { Result, Schema } from "effect"
import type { ResourceOf } from "./Resource.ts"
import { checkJson } from "./CanonicalJson.ts"
import type { Issue } from "./Issue.ts"
import { decoder, issue, says } from "./Issue.ts"
import { parseInstantOrDay } from "./Instant.ts"
import type { ContactPredicate } from "./ContactPredicate.ts"
import { fallbackOf, propertyName } from "./Property.ts"
import { lineOf } from "./TextRule.ts"

/** A filter in its JSON form. */
export type SegmentFilter =
  | { readonly all: ReadonlyArray<SegmentFilter> }
  | { readonly any: ReadonlyArray<SegmentFilter> }
  | { readonly not: SegmentFilter }
  | { readonly list: string }
  | { readonly field: string; readonly op: SegmentOp; readonly value?: SegmentValue }

export type SegmentValue = string | number | ReadonlyArray<string | number>

/** The operators of a comparison, by the kind of the field. */
export const segmentOps = {
  text: ["eq", "ne", "contains", "starts_with", "ends_with", "in", "set", "unset"],
  number: ["eq", "ne", "lt", "lte", "gt", "gte", "in", "set", "unset"],
  date: ["before", "after", "set", "unset"]
} as const
export type SegmentOp = (typeof segmentOps)[keyof typeof segmentOps][number]

/** The fields of a contact that a comparison can name. The field of a property is `properties.KEY`. */
export const segmentFields = {
  email: { kind: "text", of: "email" },
  first_name: { kind: "text", of: "firstName" },
  last_name: { kind: "text", of: "lastName" },
  phone_number: { kind: "text", of: "phoneNumber" },
  user_id: { kind: "text", of: "userId" },
  email_status: { kind: "text", of: "emailStatus" },
  source: { kind: "text", of: "source" },
  created_at: { kind: "date", of: "createdAt" },
  updated_at: { kind: "date", of: "updatedAt" }
} as const

export interface Segment {
  readonly name: string
  readonly filter: SegmentFilter
}

const nodesMax = 100
const depthMax = 8
const choicesMax = 100
/** The maximum size of a filter as JSON. Its evaluation takes microseconds, and reading 1000 segments takes milliseconds. */
const filterOctetsMax = 16 * 1024
/** Each level of a filter is an object in an array. The innermost level can contain an array of choices. */
const filterBounds = { octetsMax: filterOctetsMax, depthMax: 2 * depthMax + 2 }

const keysOf = (node: object): string => Object.keys(node).toSorted().join(" ")

const isText = (value: unknown): value is string =>
  typeof value === "string" && value.length <= 500 && value.isWellFormed() && !value.includes("\0")

type Kind = keyof typeof segmentOps

interface CompileState {
  readonly issues: Array<Issue>
  readonly properties: ReadonlyMap<string, ResourceOf<"property">>
  nodes: number
}

const matchesNone: ContactPredicate = { _tag: "Any", of: [] }

/** Returns what is wrong with the value of a comparison, or `undefined` if it is valid. */
const valueIssue = (kind: Kind, op: SegmentOp, value: unknown): string | undefined => {
  if (op === "set" || op === "unset") return value === undefined ? undefined : "is not allowed with this op"
  if (op === "in")
    return Array.isArray(value) &&
      value.length > 0 &&
      value.length <= choicesMax &&
      value.every((one) => (kind === "number" ? typeof one === "number" : isText(one)))
      ? undefined
      : `must be a list of 1 to ${choicesMax} ${kind === "number" ? "numbers" : "texts"}`
  if (kind === "number") return typeof value === "number" && Number.isFinite(value) ? undefined : "must be a number"
  if (!isText(value)) return "must be a text"
  return kind === "date" && parseInstantOrDay(value, "start") === undefined
    ? "must be a date or a timestamp with an offset"
    : undefined
}

const comparison = (
  node: { readonly field?: unknown; readonly op?: unknown; readonly value?: unknown },
  path: Issue["path"],
  state: CompileState
): ContactPredicate => {
  const refuse = (field: string, message: string) => {
    state.issues.push(issue([...path, field], "invalid_value", message))
    return matchesNone
  }
  const named = String(node.field)
  const own = Object.hasOwn(segmentFields, named) ? segmentFields[named as keyof typeof segmentFields] : undefined
  const property = named.startsWith("properties.") ? state.properties.get(propertyName(named.slice(11))) : undefined
  if (own === undefined && property === undefined)
    return refuse("field", "is neither a field of a contact nor a defined property")
  const type = property?.content.type
  const kind: Kind = own?.kind ?? (type === "string" ? "text" : (type as Kind))
  const ops: ReadonlyArray<string> = segmentOps[kind]
  if (!ops.includes(String(node.op))) return refuse("op", `must be one of ${ops.join(", ")}`)
  const op = node.op as SegmentOp
  const complaint = valueIssue(kind, op, node.value)
  if (complaint !== undefined) return refuse("value", complaint)
  const value =
    kind === "date" && typeof node.value === "string"
      ? parseInstantOrDay(node.value, "start")!
      : ((node.value ?? null) as SegmentValue)
  const of =
    own === undefined
      ? ({ property: property!.id, fallback: fallbackOf(property!.content) } as const)
      : ({ field: own.of } as const)
  return { _tag: "Compare", kind, of, op, value }
}

const compiled = (node: unknown, path: Issue["path"], depth: number, state: CompileState): ContactPredicate => {
  if (++state.nodes > nodesMax || depth > depthMax) {
    if (state.nodes <= nodesMax + 1)
      state.issues.push(issue(path, "too_large", `must have at most ${nodesMax} parts, ${depthMax} deep`))
    return matchesNone
  }
  const form = typeof node === "object" && node !== null && !Array.isArray(node) ? keysOf(node) : ""
  const { all, any, not, list } = node as Readonly<Record<string, unknown>>
  const each = (parts: unknown, name: string) => {
    if (Array.isArray(parts))
      return parts.slice(0, nodesMax + 1).map((part, at) => compiled(part, [...path, name, at], depth + 1, state))
    state.issues.push(issue([...path, name], "invalid_type", "must be an array"))
    return []
  }
  switch (form) {
    case "all":
      return { _tag: "All", of: each(all, "all") }
    case "any":
      return { _tag: "Any", of: each(any, "any") }
    case "not":
      return { _tag: "Not", of: compiled(not, [...path, "not"], depth + 1, state) }
    case "list":
      if (isText(list)) return { _tag: "OnList", listId: list }
      state.issues.push(issue([...path, "list"], "invalid_type", "must be the id of a list"))
      return matchesNone
    case "field op":
    case "field op value":
      return comparison(node as object, path, state)
    default:
      state.issues.push(
        issue(path, "invalid_value", "must be one of { all }, { any }, { not }, { list } or { field, op, value }")
      )
      return matchesNone
  }
}

/** Compiles a filter to the form that a store evaluates, with properties by id. Fails with all issues of the filter. */
export const compileSegment = (
  filter: unknown,
  properties: ReadonlyArray<ResourceOf<"property">>
): Result.Result<ContactPredicate, ReadonlyArray<Issue>> => {
  const state: CompileState = { issues: [], nodes: 0, properties: new Map(properties.map((one) => [one.name!, one])) }
  const predicate = compiled(filter, ["filter"], 1, state)
  return state.issues.length > 0 ? Result.fail(state.issues) : Result.succeed(predicate)
}

const name = lineOf({ min: 1, max: 100 })
const Filter = Schema.Record(Schema.String, Schema.Unknown)
  .check(
    Schema.makeFilter(
      (filter) => checkJson(filter, filterBounds) === "fits",
      says("too_large", `must be JSON of at most ${filterOctetsMax} octets, ${depthMax} levels deep`)
    )
  )
  .annotate({
    identifier: "SegmentFilter",
    description:
      "`{ all: [filter…] }`, `{ any: [filter…] }`, `{ not: filter }`, `{ list: id }` or `{ field, op, value }`; a property is the field `properties.KEY`."
  })

export const CreateSegmentBody = Schema.Struct({ name, filter: Filter }).annotate({
  identifier: "CreateSegmentRequest"
})
export type CreateSegment = typeof CreateSegmentBody.Type
export const parseCreateSegment = decoder(CreateSegmentBody)

export const UpdateSegmentBody = Schema.Struct({
  name: Schema.optionalKey(name),
  filter: Schema.optionalKey(Filter)
}).annotate({ identifier: "UpdateSegmentRequest" })
export type UpdateSegment = typeof UpdateSegmentBody.Type
export const parseUpdateSegment = decoder(UpdateSegmentBody)
