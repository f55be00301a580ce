/**
 * Custom properties of contacts: their definitions, and what a value of each type may be.
 * Source: interface, Create a contact; decision 0025.
 */
import { Schema } from "effect"
import { decoder, says } from "./Issue.ts"
import { parseInstantOrDay } from "./Instant.ts"
import { isSafeKey, textOf } from "./TextRule.ts"
import type { DefinitionId, DefinitionOf } from "./Definition.ts"

export const propertyTypes = ["string", "number", "date"] as const
export type PropertyType = (typeof propertyTypes)[number]

/** A `date` is an ISO 8601 date, or date and time with an offset, kept as given. */
export type PropertyValue = string | number

export interface PropertyDefinition {
  /** As given; unique without regard to case. */
  readonly key: string
  readonly type: PropertyType
  /** Stands in for the value of a contact that has none, where a value is used. */
  readonly fallbackValue: PropertyValue | null
}

/** Values by the id of their definition, so that a property defined anew under an old key starts empty. */
export type PropertyValues = Readonly<Record<DefinitionId<"property">, PropertyValue>>

export const propertiesMax = 200
const propertyTextCharactersMax = 500

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

const Key = Schema.String.check(
  Schema.makeFilter((key: string) => /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(key) && isSafeKey(key), {
    ...says("invalid_value", "must be a letter and up to 63 letters, digits or underscores, and no reserved word"),
    toJsonSchema: () => ({ pattern: "^[A-Za-z][A-Za-z0-9_]{0,63}$" })
  })
)

const Type = Schema.Literals(propertyTypes).annotate(
  says("invalid_value", `must be one of ${propertyTypes.join(", ")}`)
)

const Fallback = Schema.Union([textOf({ max: propertyTextCharactersMax }), Schema.Finite, Schema.Null]).annotate(
  says("invalid_type", "must be a string, a number or null")
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
