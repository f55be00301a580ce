/**
 * Writes the schemas of the OpenAPI document in the form that generators of clients read well.
 */
import { isFields } from "@mailkeep/core/binding"
import { closedListReference } from "./closedLists.ts"
import type { JsonObject } from "./jsonObject.ts"
import { mapped } from "./jsonObject.ts"

/** Effect ends the name of the schema of an error body with this word. */
const encodedSuffix = /Encoded$/

const withoutSuffix = (name: string): string => name.replace(encodedSuffix, "")

/** A field with such a name is a time in the whole interface. */
const isTimeName = (name: string): boolean => /(?:^at|_at|At|^since)$/.test(name)

/** The field as a time, if it is plain text. A schema with a name or a format says more by itself. */
const timeField = (schema: JsonObject): JsonObject => {
  const { anyOf } = schema
  if (Array.isArray(anyOf)) return { ...schema, anyOf: anyOf.map((one) => timeField(one as JsonObject)) }
  const isText = [schema["type"]].flat().includes("string")
  return isText && schema["format"] === undefined ? { ...schema, format: "date-time" } : schema
}

/**
 * Writes a choice with `null` as two types of one schema. Programs that convert the document to OpenAPI 3.0 read only this form. A reference has
 * no type, so its choice stays.
 */
const withNullType = (record: JsonObject): JsonObject => {
  const { anyOf, ...others } = record
  if (!Array.isArray(anyOf)) return record
  const choices = (anyOf as ReadonlyArray<JsonObject>).filter(({ type }) => type !== "null")
  const at = choices.findIndex(({ type }) => typeof type === "string")
  if (choices.length === anyOf.length || at < 0) return record
  const { type, enum: values, ...rest } = choices[at]!
  const nullable = {
    ...rest,
    type: [type, "null"],
    ...(Array.isArray(values) ? { enum: [...(values as ReadonlyArray<unknown>), null] } : {})
  }
  return choices.length === 1 ? { ...nullable, ...others } : { ...others, anyOf: choices.with(at, nullable) }
}

/** Effect puts the schema of a check into `allOf`. A constant is better an enum of one value. */
const withEnumOfConstant = (record: JsonObject): JsonObject => {
  const { allOf, ...others } = record
  const only = Array.isArray(allOf) && allOf.length === 1 ? (allOf[0] as JsonObject) : {}
  return "const" in only && Object.keys(only).length === 1 ? { ...others, enum: [only["const"]] } : record
}

/** Some generators make a type without any field of an object schema that does not say which other fields it allows. */
const isOpenObject = ({ type, properties, additionalProperties }: JsonObject): boolean =>
  type === "object" && properties === undefined && additionalProperties === undefined

/** The bounds of each exact number say nothing about the field. */
const isNoBound = (key: string, value: unknown): boolean =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) || (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

const portableFields = (fields: JsonObject): JsonObject =>
  mapped(fields, (schema, name) => {
    const field = portable(schema) as JsonObject
    return isTimeName(name) ? timeField(field) : field
  })

const portableRecord = (given: JsonObject): JsonObject => {
  const { anyOf, ...rest } = given
  // A choice of one schema is that schema.
  if (Array.isArray(anyOf) && anyOf.length === 1) return portableRecord({ ...(anyOf[0] as JsonObject), ...rest })
  const record = withEnumOfConstant(withNullType(given))
  const reference = closedListReference(record)
  if (reference !== undefined) return reference
  const entries = Object.entries(record).flatMap(([key, value]): ReadonlyArray<readonly [string, unknown]> => {
    if (isNoBound(key, value)) return []
    if (key === "$ref") return [[key, withoutSuffix(String(value))]]
    if (key === "properties") return [[key, portableFields(value as JsonObject)]]
    return [[key, portable(value)]]
  })
  return { ...Object.fromEntries(entries), ...(isOpenObject(record) ? { additionalProperties: true } : {}) }
}

const portable = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(portable)
  return isFields(value) ? portableRecord(value) : value
}

/** Rewrites a part of the document. It must not contain examples yet. */
export const withPortableSchemas = <A extends JsonObject>(part: A): A => portable(part) as A

/** Rewrites the schemas and their names. */
export const portableComponents = (
  schemas: Readonly<Record<string, JsonObject>>
): Readonly<Record<string, JsonObject>> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [withoutSuffix(name), portableRecord(schema)]))
