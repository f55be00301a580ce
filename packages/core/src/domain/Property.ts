/**
 * Custom properties of contacts: their definitions, and what a value of each type may be.
 * Source: interface, Create a contact; decision 0025.
 */
import { Schema } from "effect"
import { decoder, says } from "./Issue.ts"
import { parseInstantOrDay } from "./Instant.ts"
import { lineOf, textOf } from "./TextRule.ts"
import type { DefinitionId, DefinitionOf } from "./Definition.ts"

export const propertyTypes = ["string", "number", "date"] as const
export type PropertyType = (typeof propertyTypes)[number]

/** A `date` is an ISO 8601 date, or date and time with an offset, kept as given. */
export type PropertyValue = string | number

export interface PropertyDefinition {
  /** Any one-line text of 1 to 255 characters, as given; unique without regard to case. An object by key must have no inherited names. */
  readonly key: string
  readonly type: PropertyType
  /** Stands in for the value of a contact that has none, where a value is used. Text for every type; see `fallbackOf`. */
  readonly fallbackValue: string | null
}

/** Values by the id of their definition, so that a property defined anew under an old key starts empty. */
export type PropertyValues = Readonly<Record<DefinitionId<"property">, PropertyValue>>

export const propertiesMax = 200
const propertyKeyCharactersMax = 255
const propertyTextCharactersMax = 500
const fallbackCharactersMax = 1000

/** The form in which keys are compared. */
export const propertyName = (key: string): string => key.toLowerCase()

/** What is wrong with a value of that type, in words; `undefined` when nothing is. */
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

/** What is wrong with the text of a fallback for that type, in words; `undefined` when nothing is. */
export const fallbackComplaint = (type: PropertyType, text: string): string | undefined => {
  if (type === "string") return undefined
  if (type === "number")
    return numberText.test(text) && Number.isFinite(Number(text)) ? undefined : "must be the text of a number"
  return valueComplaint(type, text)
}

/** The fallback as text. Definitions from before decision 0034 may hold a number. */
export const fallbackText = ({ fallbackValue }: PropertyDefinition): string | null =>
  fallbackValue === null ? null : String(fallbackValue)

/** The fallback as a value of the property's type, for whatever compares or shows values. */
export const fallbackOf = ({ type, fallbackValue }: PropertyDefinition): PropertyValue | null =>
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

/** A contact's values by the key of each definition that still stands. */
export const valuesByKey = (
  values: PropertyValues,
  definitions: ReadonlyArray<DefinitionOf<"property">>
): Readonly<Record<string, PropertyValue>> =>
  Object.fromEntries(
    definitions
      .toReversed()
      .flatMap(({ id, content }) => (values[id] === undefined ? [] : [[content.key, values[id]] as const]))
  )
