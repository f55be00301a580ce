/**
 * Segments: contacts that match a filter. The filter is an expression over contact fields, properties and lists.
 * Source: decision 0026.
 */
import { Result, Schema } from "effect"
import { isFields } from "../value/Fields.ts"
import type { Instant } from "../value/Instant.ts"
import type { Issue, Parser } from "../value/Issue.ts"
import { decoder, issue } from "../value/Issue.ts"
import { jsonWithin } from "../value/JsonRule.ts"
import { parseInstantOrDay } from "../value/Instant.ts"
import type { ContactPredicate, SegmentOp, SegmentValue } from "./ContactPredicate.ts"
import { segmentOps } from "./ContactPredicate.ts"
import type { StoredProperty } from "./Property.ts"
import { fallbackOf, propertyName } from "./Property.ts"
import { hasAtMost, isStorable, lineOf } from "../value/TextRule.ts"
import type { ResourceId, StoredResource } from "../store/StoredResource.ts"

/** A filter in its JSON form. */
export type SegmentFilter =
  | { readonly all: ReadonlyArray<SegmentFilter> }
  | { readonly any: ReadonlyArray<SegmentFilter> }
  | { readonly not: SegmentFilter }
  | { readonly list: string }
  | { readonly field: SegmentField; readonly op: SegmentOp; readonly value?: SegmentValue | undefined }

/** The fields of a contact that a comparison can name. The field of a property is `properties.KEY`. */
const segmentFields = {
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

/** A field that a comparison can name. The key of a property has any case. */
export type SegmentField = keyof typeof segmentFields | `properties.${string}`

const propertyPrefix = "properties."

/** The unique name of the property that a field names; `undefined` for a field of the contact itself. */
export const propertyOfField = (field: string): string | undefined =>
  field.startsWith(propertyPrefix) ? propertyName(field.slice(propertyPrefix.length)) : undefined

/** The field of a property in a filter. */
export const fieldOfProperty = (key: string): SegmentField => `${propertyPrefix}${key}`

/** The content of a segment as a store keeps it. */
export interface SegmentContent {
  readonly name: string
  readonly filter: SegmentFilter
}

/** A segment: the contacts that match a filter. */
export interface Segment {
  /** Starts with `seg_`. */
  readonly id: ResourceId<"segment">
  /** 1 to 100 characters; unique within the project without regard to case. */
  readonly name: string
  /** The filter as it was given. */
  readonly filter: SegmentFilter
  /** Milliseconds since 1970 in UTC. */
  readonly createdAt: Instant
  /** When the segment was last changed, in milliseconds since 1970 in UTC. */
  readonly updatedAt: Instant
}

/** A new segment. */
export interface CreateSegmentInput {
  /** 1 to 100 characters in one line; unique within the project without regard to case. */
  readonly name: string
  /** At most 100 parts and 8 levels. A property is the field `properties.KEY`, and must be defined. */
  readonly filter: SegmentFilter
}

/** The fields of a segment to change. An absent field keeps its value. */
export interface UpdateSegmentInput {
  /** 1 to 100 characters in one line; unique within the project without regard to case. */
  readonly name?: string | undefined
  /** At most 100 parts and 8 levels. A property is the field `properties.KEY`, and must be defined. */
  readonly filter?: SegmentFilter | undefined
}

/** The form in which names of segments are compared. */
export const segmentName = (name: string): string => name.toLowerCase()

/** Returns the segment without the fields that only the store needs. */
export const toSegment = ({
  id,
  content,
  createdAt,
  updatedAt
}: StoredResource<"segment", SegmentContent>): Segment => ({
  id,
  name: content.name,
  filter: content.filter,
  createdAt,
  updatedAt
})

const nodesMax = 100
const depthMax = 8
const choicesMax = 100
/** The maximum size of a filter as JSON. Its evaluation takes microseconds, and reading 1000 segments takes milliseconds. */
const filterBytesMax = 16 * 1024
/** Each level of a filter is an object in an array. The innermost level can contain an array of choices. */
const filterBounds = { bytesMax: filterBytesMax, depthMax: 2 * depthMax + 2 }

const keysOf = (node: object): string => Object.keys(node).toSorted().join(" ")

const textCharactersMax = 500
const textsForm = `texts of at most ${textCharactersMax} characters`
const textForm = `must be a text of at most ${textCharactersMax} characters`

const isText = (value: unknown): value is string =>
  typeof value === "string" && hasAtMost(value, textCharactersMax) && isStorable(value)

type Kind = keyof typeof segmentOps

const fieldForm = `must be properties.KEY of a defined property, or one of ${Object.keys(segmentFields).join(", ")}`

interface CompileState {
  readonly issues: Array<Issue>
  readonly properties: ReadonlyMap<string, StoredProperty>
  nodes: number
}

const matchesNone: ContactPredicate = { _tag: "Any", of: [] }

/** Returns what is wrong with the value of a comparison, or `undefined` if it is valid. */
const operandProblem = (kind: Kind, op: SegmentOp, value: unknown): string | undefined => {
  if (op === "set" || op === "unset") return value === undefined ? undefined : "is not allowed with this op"
  if (op === "in")
    return Array.isArray(value) &&
      value.length > 0 &&
      value.length <= choicesMax &&
      value.every((one) => (kind === "number" ? typeof one === "number" : isText(one)))
      ? undefined
      : `must be a list of 1 to ${choicesMax} ${kind === "number" ? "numbers" : textsForm}`
  if (kind === "number") return typeof value === "number" && Number.isFinite(value) ? undefined : "must be a number"
  if (!isText(value)) return textForm
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
  const named = typeof node.field === "string" ? node.field : ""
  const own = Object.hasOwn(segmentFields, named) ? segmentFields[named as keyof typeof segmentFields] : undefined
  const property = state.properties.get(propertyOfField(named) ?? "")
  if (own === undefined && property === undefined) return refuse("field", fieldForm)
  const type = property?.content.type
  const kind: Kind = own?.kind ?? (type === "string" ? "text" : (type as Kind))
  const ops: ReadonlyArray<unknown> = segmentOps[kind]
  if (!ops.includes(node.op)) return refuse("op", `must be one of ${ops.join(", ")}`)
  const op = node.op as SegmentOp
  const problem = operandProblem(kind, op, node.value)
  if (problem !== undefined) return refuse("value", problem)
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
  const fields = isFields(node) ? node : {}
  const { all, any, not, list } = fields
  const each = (parts: unknown, name: string) => {
    if (Array.isArray(parts))
      return parts.slice(0, nodesMax + 1).map((part, at) => compiled(part, [...path, name, at], depth + 1, state))
    state.issues.push(issue([...path, name], "invalid_type", "must be an array"))
    return []
  }
  switch (keysOf(fields)) {
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
      return comparison(fields, path, state)
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
  properties: ReadonlyArray<StoredProperty>
): Result.Result<ContactPredicate, ReadonlyArray<Issue>> => {
  const state: CompileState = { issues: [], nodes: 0, properties: new Map(properties.map((one) => [one.name!, one])) }
  const predicate = compiled(filter, ["filter"], 1, state)
  return state.issues.length > 0 ? Result.fail(state.issues) : Result.succeed(predicate)
}

const name = lineOf({ min: 1, max: 100 })
const Filter = Schema.Record(Schema.String, Schema.Unknown)
  // Before the checks: a description after them is not in a JSON Schema.
  .annotate({
    description:
      "`{ all: [filter…] }`, `{ any: [filter…] }`, `{ not: filter }`, `{ list: id }` or `{ field, op, value }`; a property is the field `properties.KEY`. At most 100 parts, 8 levels and 16 KiB."
  })
  .check(
    ...jsonWithin(filterBounds, {
      reservedKey: "must not have the key __proto__, constructor or prototype",
      tooLarge: `must be JSON of at most ${filterBytesMax} bytes, ${depthMax} levels deep`
    })
  )
  .annotate({ identifier: "SegmentFilter" })

declare const valid: unique symbol

/** Drops the fields of a filter that are `undefined`, such as the value of the op `set`. Only a program can pass them. */
const definedFields = (node: unknown, levels = filterBounds.depthMax): unknown => {
  if (typeof node !== "object" || node === null || levels === 0) return node
  if (Array.isArray(node)) return node.map((one) => definedFields(one, levels - 1))
  if (Object.getPrototypeOf(node) !== Object.prototype) return node
  const entries = Object.entries(node).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries.map(([key, value]) => [key, definedFields(value, levels - 1)]))
}

const segmentParser = <S extends Schema.Decoder<unknown>>(schema: S): Parser<S["Type"]> => {
  const decode = decoder(schema)
  return (input) => {
    const filter: unknown = (input as { readonly filter?: unknown } | null | undefined)?.filter
    return decode(filter === undefined ? input : { ...(input as object), filter: definedFields(filter) })
  }
}

/** The schema of a new segment. It checks the form of the filter, not its fields and properties. */
export const CreateSegmentBody = Schema.Struct({ name, filter: Filter }).annotate({
  identifier: "CreateSegmentRequest"
})
/** A new segment whose fields `parseCreateSegment` has checked. `compileSegment` checks the parts of the filter. */
export type ValidCreateSegment = typeof CreateSegmentBody.Type & { readonly [valid]: "create" }
export const parseCreateSegment = segmentParser(CreateSegmentBody) as Parser<ValidCreateSegment>

/** The schema of a change of a segment. It checks the form of the filter, not its fields and properties. */
export const UpdateSegmentBody = Schema.Struct({
  name: Schema.optionalKey(name),
  filter: Schema.optionalKey(Filter)
}).annotate({ identifier: "UpdateSegmentRequest" })
/** A change of a segment whose fields `parseUpdateSegment` has checked. */
export type ValidUpdateSegment = typeof UpdateSegmentBody.Type & { readonly [valid]: "update" }
export const parseUpdateSegment = segmentParser(UpdateSegmentBody) as Parser<ValidUpdateSegment>
