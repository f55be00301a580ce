/**
 * Custom properties of contacts: their definitions and the rules for their values.
 * Source: interface, Create a contact; decision 0025.
 */
import { Schema } from "effect"
import { decoder, says } from "./Issue.ts"
import { parseInstantOrDay } from "./Instant.ts"
import { lineOf, textOf } from "./TextRule.ts"
import type { ResourceId, ResourceOf } from "./Resource.ts"

export const propertyTypes = ["string", "number", "date"] as const
export type PropertyType = (typeof propertyTypes)[number]

/** A `date` is an ISO 8601 date, or a date and time with an offset. It is stored unchanged. */
export type PropertyValue = string | number

export interface PropertyContent {
  /** A one-line text of 1 to 255 characters, stored unchanged and unique without regard to case. Can be `__proto__`: use a `Map`, or an object without prototype. */
  readonly key: string
  readonly type: PropertyType
  /** Replaces the value for a contact without a value. It is a text for every type; see `fallbackOf`. */
  readonly fallbackValue: string | null
}

/** Values by the id of the property. A property that is created again under an old key therefore has no values. */
export type PropertyValues = Readonly<Record<ResourceId<"property">, PropertyValue>>

export const propertiesMax = 200
const propertyKeyCharactersMax = 255
const propertyTextCharactersMax = 500
const fallbackCharactersMax = 1000

/** Returns the form in which property keys are compared. */
export const propertyName = (key: string): string => key.toLowerCase()

/** Returns what is wrong with a value of this type, or `undefined` if it is valid. */
export const valueComplaint = (type: PropertyType, value: PropertyValue): string | undefined => {
  switch (type) {
    case "string":
      if (typeof value !== "string") return "must be a string"
      return value.length <= propertyTextCharactersMax && value.isWellFormed() && !value.includes("\0")
        ? undefined
        : `must be well-formed text of at most ${propertyTextCharactersMax} characters`
    case "number":
      return typeof value === "number" ? undefined : "must be a number"
    case "date":
      return typeof value === "string" && parseInstantOrDay(value, "start") !== undefined
        ? undefined
        : "must be a date such as 2026-12-24, or a timestamp with an offset"
  }
}

const numberText = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Returns what is wrong with the text of a fallback for this type, or `undefined` if it is valid. */
export const fallbackComplaint = (type: PropertyType, text: string): string | undefined => {
  if (type === "string") return undefined
  if (type === "number")
    return numberText.test(text) && Number.isFinite(Number(text)) ? undefined : "must be the text of a number"
  return valueComplaint(type, text)
}

/** Returns the fallback as text. Properties that were stored before decision 0034 can contain a number. */
export const fallbackText = ({ fallbackValue }: PropertyContent): string | null =>
  fallbackValue === null ? null : String(fallbackValue)

/** Returns the fallback as a value of the property's type. */
export const fallbackOf = ({ type, fallbackValue }: PropertyContent): PropertyValue | null =>
  fallbackValue !== null && type === "number" ? Number(fallbackValue) : fallbackValue

const Key = lineOf({ min: 1, max: propertyKeyCharactersMax })

const Type = Schema.Literals(propertyTypes).annotate(
  says("invalid_value", `must be one of ${propertyTypes.join(", ")}`)
)

const Fallback = Schema.NullOr(textOf({ max: fallbackCharactersMax })).annotate(
  says("invalid_type", "must be a string or null")
)

export const CreatePropertyBody = Schema.Struct({
  key: Key,
  type: Type,
  fallback_value: Schema.optionalKey(Fallback)
}).annotate({ identifier: "CreatePropertyRequest" })
export type CreateProperty = typeof CreatePropertyBody.Type
export const parseCreateProperty = decoder(CreatePropertyBody)

export const UpdatePropertyBody = Schema.Struct({
  key: Schema.optionalKey(Key),
  type: Schema.optionalKey(Type),
  fallback_value: Schema.optionalKey(Fallback)
}).annotate({ identifier: "UpdatePropertyRequest" })
export type UpdateProperty = typeof UpdatePropertyBody.Type
export const parseUpdateProperty = decoder(UpdatePropertyBody)

/** Returns the values of a contact by property key. Omits the values of deleted properties. */
export const valuesByKey = (
  values: PropertyValues,
  resources: ReadonlyArray<ResourceOf<"property">>
): Readonly<Record<string, PropertyValue>> =>
  Object.fromEntries(
    resources
      .toReversed()
      .flatMap(({ id, content }) => (values[id] === undefined ? [] : [[content.key, values[id]] as const]))
  )
