/**
 * Custom properties of contacts: their definitions and the rules for their values.
 * Source: docs/spec/coverage.md S7.10; decision 0025.
 */
import { Schema } from "effect"
import type { Instant } from "../value/Instant.ts"
import { isFields } from "../value/Fields.ts"
import type { Issue, IssueCode, Parser } from "../value/Issue.ts"
import { decoder, issue, says, withRules } from "../value/Issue.ts"
import { parseInstantOrDay } from "../value/Instant.ts"
import { hasAtMost, isStorable, lineOf, textOf } from "../value/TextRule.ts"
import type { ResourceId, StoredResource } from "../store/StoredResource.ts"

/** Every type of a custom property. */
export const propertyTypes = ["string", "number", "date"] as const
/** The type of the values of a custom property. */
export type PropertyType = (typeof propertyTypes)[number]

/** A `date` is an ISO 8601 date, or a date and time with an offset. It is stored unchanged. */
export type PropertyValue = string | number

/** A custom property that the contacts of a project may have. */
export interface Property {
  /** Starts with `prop_`. */
  readonly id: ResourceId<"property">
  /**
   * A one-line text of 1 to 255 characters, stored unchanged and unique within the project without regard to case.
   * Can be `__proto__`: use a `Map`, or an object without prototype.
   */
  readonly key: string
  /** The type of all values. */
  readonly type: PropertyType
  /** Replaces the value for a contact without a value. It is a text for every type. */
  readonly fallbackValue: string | null
  /** Milliseconds since 1970 in UTC. */
  readonly createdAt: Instant
  /** When the property was last changed, in milliseconds since 1970 in UTC. */
  readonly updatedAt: Instant
}

/** A new custom property. */
export interface CreatePropertyInput {
  /** A one-line text of 1 to 255 characters; unique within the project without regard to case. */
  readonly key: string
  /** The type of all values. */
  readonly type: PropertyType
  /** Replaces the value for a contact without a value. At most 1,000 characters; the text of a value of the type. Default: `null`. */
  readonly fallbackValue?: string | null | undefined
}

/** The fields of a custom property to change. An absent field keeps its value. */
export interface UpdatePropertyInput {
  /** A one-line text of 1 to 255 characters; unique within the project without regard to case. */
  readonly key?: string | undefined
  /** Can change only while no contact has a value of the property. */
  readonly type?: PropertyType | undefined
  /** At most 1,000 characters; the text of a value of the type. `null` removes the fallback. */
  readonly fallbackValue?: string | null | undefined
}

/** The content of a property as a store keeps it. */
export interface PropertyContent {
  readonly key: string
  readonly type: PropertyType
  /** It is a text for every type; see `fallbackOf`. */
  readonly fallbackValue: string | null
}

/** A property as a store keeps it. */
export type StoredProperty = StoredResource<"property", PropertyContent>

/** Values by the id of the property. A property that is created again under an old key therefore has no values. */
export type PropertyValues = Readonly<Record<ResourceId<"property">, PropertyValue>>

export const propertiesMax = 200
const propertyKeyCharactersMax = 255
/** The maximum length of a text, in characters. A date is shorter. */
export const propertyTextCharactersMax = 500
const fallbackCharactersMax = 1000

/** Returns the form in which property keys are compared. */
export const propertyName = (key: string): string => key.toLowerCase()

/** What is wrong with a value: the code and the message of its issue. */
interface ValueProblem {
  readonly code: IssueCode
  readonly message: string
}

const ofAnotherType = (message: string): ValueProblem => ({ code: "invalid_type", message })

const textProblem = (text: string): ValueProblem | undefined => {
  if (!hasAtMost(text, propertyTextCharactersMax))
    return { code: "too_long", message: `must have at most ${propertyTextCharactersMax} characters` }
  return isStorable(text) ? undefined : { code: "invalid_value", message: "must be well-formed Unicode without U+0000" }
}

/** Returns what is wrong with a value of this type, or `undefined` if it is valid. */
export const valueProblem = (type: PropertyType, value: PropertyValue): ValueProblem | undefined => {
  switch (type) {
    case "string":
      return typeof value === "string" ? textProblem(value) : ofAnotherType("must be a string")
    case "number":
      return typeof value === "number" ? undefined : ofAnotherType("must be a number")
    case "date":
      return typeof value === "string" && parseInstantOrDay(value, "start") !== undefined
        ? undefined
        : ofAnotherType("must be a date such as 2026-12-24, or a timestamp with an offset")
  }
}

const numberText = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Returns what is wrong with the text of a fallback for this type, or `undefined` if it is valid. */
const fallbackProblem = (type: PropertyType, text: string): string | undefined => {
  if (type === "string") return undefined
  if (type === "number")
    return numberText.test(text) && Number.isFinite(Number(text)) ? undefined : "must be the text of a number"
  return valueProblem(type, text)?.message
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

declare const valid: unique symbol

const isPropertyType = (value: unknown): value is PropertyType => propertyTypes.includes(value as PropertyType)

/**
 * The issue of a fallback that does not have the type beside it. `fallbackField` is the name of the field for a binding with names of its own.
 */
export const fallbackIssues = (input: unknown, fallbackField = "fallbackValue"): ReadonlyArray<Issue> => {
  if (!isFields(input)) return []
  const { type, [fallbackField]: fallback } = input
  const problem = isPropertyType(type) && typeof fallback === "string" ? fallbackProblem(type, fallback) : undefined
  return problem === undefined ? [] : [issue([fallbackField], "invalid_type", problem)]
}

/** The schema of `CreatePropertyInput`. */
export const CreatePropertySchema = Schema.Struct({
  key: Key,
  type: Type,
  fallbackValue: Schema.optionalKey(Fallback)
})
/** A new property that `parseCreateProperty` has checked. */
export type ValidCreateProperty = typeof CreatePropertySchema.Type & { readonly [valid]: "create" }
export const parseCreateProperty = withRules(
  decoder(CreatePropertySchema),
  fallbackIssues
) as Parser<ValidCreateProperty>

/** The schema of `UpdatePropertyInput`. */
export const UpdatePropertySchema = Schema.Struct({
  key: Schema.optionalKey(Key),
  type: Schema.optionalKey(Type),
  fallbackValue: Schema.optionalKey(Fallback)
})
/** A change of a property that `parseUpdateProperty` has checked. */
export type ValidUpdateProperty = typeof UpdatePropertySchema.Type & { readonly [valid]: "update" }
export const parseUpdateProperty = withRules(
  decoder(UpdatePropertySchema),
  fallbackIssues
) as Parser<ValidUpdateProperty>

/** Returns the property without the fields that only the store needs. */
export const toProperty = ({ id, content, createdAt, updatedAt }: StoredProperty): Property => ({
  id,
  key: content.key,
  type: content.type,
  fallbackValue: fallbackText(content),
  createdAt,
  updatedAt
})

/** Returns the values of a contact by property key. Omits the values of deleted properties. */
export const valuesByKey = (
  values: PropertyValues,
  resources: ReadonlyArray<StoredProperty>
): Readonly<Record<string, PropertyValue>> =>
  Object.fromEntries(
    resources
      .toReversed()
      .flatMap(({ id, content }) => (values[id] === undefined ? [] : [[content.key, values[id]] as const]))
  )
