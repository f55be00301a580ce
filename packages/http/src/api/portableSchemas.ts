/**
 * Writes the schemas of the OpenAPI document in the form that generators of clients read well.
 */
import { isFields } from "@mailkeep/core/binding"
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
  return schema["type"] === "string" && schema["format"] === undefined ? { ...schema, format: "date-time" } : schema
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

const portableRecord = (record: JsonObject): JsonObject => {
  const { anyOf, ...rest } = record
  // A choice of one schema is that schema.
  if (Array.isArray(anyOf) && anyOf.length === 1) return portableRecord({ ...(anyOf[0] as JsonObject), ...rest })
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
