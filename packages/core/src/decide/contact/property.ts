/**
 * Creates and updates custom properties. Source: decisions 0025 and 0034.
 */
import { Result } from "effect"
import type { PropertyContent, ValidCreateProperty, ValidUpdateProperty } from "../../domain/contact/Property.ts"
import { fallbackIssues, fallbackText, propertiesMax, propertyName } from "../../domain/contact/Property.ts"
import { namesProperty, withPropertyKey } from "../../domain/contact/renamedProperty.ts"
import type { Change } from "../../domain/store/Change.ts"
import type { ResourceOf } from "../../domain/store/Resource.ts"
import type { NameTaken, TooManyRecords } from "../../domain/store/RecordFailure.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import { PropertyInUse } from "../../domain/contact/ContactFailure.ts"
import { RecordNotFound } from "../../domain/store/RecordFailure.ts"
import type { Decision } from "../store/Decision.ts"
import { invalidInput } from "../store/Decision.ts"
import { expectCounterZero } from "../store/expectation.ts"
import type { EnsuringFacts, ExistingFacts, NewFacts } from "../store/resource.ts"
import { createResource, ensureResource, replaceResource, updateResource } from "../store/resource.ts"

type PropertyRecord = ResourceOf<"property">

/** Checks the fallback against the type, because a change can have only one of the two. */
const withFallbackOfType = (content: PropertyContent): Result.Result<PropertyContent, InvalidArgument> => {
  const fallback = fallbackText(content)
  const issues = fallbackIssues({ type: content.type, fallbackValue: fallback })
  return issues.length === 0 ? Result.succeed({ ...content, fallbackValue: fallback }) : invalidInput(issues)
}

/**
 * Refuses to change the type of a property of which contacts have a value. `valueCount` is their number. A change of the type comes with a guard that no
 * contact has a value at the commit either.
 */
const typeGuards = (
  existing: PropertyRecord | null,
  type: PropertyContent["type"],
  valueCount: number
): Result.Result<ReadonlyArray<Change>, PropertyInUse> => {
  if (existing === null || existing.content.type === type) return Result.succeed([])
  const { id, projectId } = existing
  return valueCount > 0
    ? Result.fail(new PropertyInUse({ propertyId: id }))
    : Result.succeed([expectCounterZero(projectId, `property:${id}`)])
}

export const createProperty = (
  { key, type, fallbackValue = null }: ValidCreateProperty,
  facts: NewFacts
): Result.Result<Decision<PropertyRecord>, NameTaken | TooManyRecords> => {
  const content = { key, type, fallbackValue }
  return createResource(
    { kind: "property", record: "property", field: "key", name: propertyName(key), content, max: propertiesMax },
    facts
  )
}

export interface EnsurePropertyFacts extends EnsuringFacts<"property"> {
  /** The number of contacts that have a value of the existing property. */
  readonly valueCount: number
}

/**
 * Makes the property with this key what the input says, and creates it when it does not exist. A fallback that the input omits is kept. The type can
 * change only if no contact has a value.
 */
export const ensureProperty = (
  { key, type, fallbackValue }: ValidCreateProperty,
  { valueCount, ...facts }: EnsurePropertyFacts
): Result.Result<Decision<PropertyRecord>, InvalidArgument | PropertyInUse | TooManyRecords> => {
  const { existing } = facts
  const guards = typeGuards(existing, type, valueCount)
  if (Result.isFailure(guards)) return Result.fail(guards.failure)
  const kept = existing === null ? null : fallbackText(existing.content)
  const content = withFallbackOfType({ key, type, fallbackValue: fallbackValue === undefined ? kept : fallbackValue })
  if (Result.isFailure(content)) return Result.fail(content.failure)
  return Result.map(
    ensureResource(
      { kind: "property", record: "property", name: propertyName(key), content: content.success, max: propertiesMax },
      facts
    ),
    ({ answer, changes }) => ({ answer, changes: [...guards.success, ...changes] })
  )
}

export interface UpdatePropertyFacts extends ExistingFacts<"property"> {
  /** All segments of the project, if the input has a key. */
  readonly segments: ReadonlyArray<ResourceOf<"segment">>
  /** The number of contacts that have a value of the property. */
  readonly valueCount: number
}

/** Gives the segments that name the property its new key, so that they contain the same contacts. */
const renamedInSegments = (
  { name: oldName }: PropertyRecord,
  key: string,
  { segments, now }: UpdatePropertyFacts
): ReadonlyArray<Change> =>
  oldName === null || propertyName(key) === oldName
    ? []
    : segments
        .filter(({ content }) => namesProperty(content.filter, oldName))
        .flatMap((segment) => {
          const { name, content } = segment
          const filter = withPropertyKey(content.filter, oldName, key)
          return replaceResource(segment, { name, content: { ...content, filter } }, now).changes
        })

/**
 * Updates a property. Its type can change only if no contact has a value. The commit guards that this is still true. With another key, the filters of the
 * segments change too.
 */
export const updateProperty = (
  propertyId: string,
  input: ValidUpdateProperty,
  facts: UpdatePropertyFacts
): Result.Result<Decision<PropertyRecord>, InvalidArgument | RecordNotFound | NameTaken | PropertyInUse> => {
  const { existing, valueCount } = facts
  if (existing === null) return Result.fail(new RecordNotFound({ record: "property", id: propertyId }))
  const { key, type, fallbackValue } = existing.content
  const guards = typeGuards(existing, input.type ?? type, valueCount)
  if (Result.isFailure(guards)) return Result.fail(guards.failure)
  const checked = withFallbackOfType({
    key: input.key ?? key,
    type: input.type ?? type,
    fallbackValue: input.fallbackValue === undefined ? fallbackValue : input.fallbackValue
  })
  if (Result.isFailure(checked)) return Result.fail(checked.failure)
  const content = checked.success
  return Result.map(
    updateResource({ record: "property", field: "key", name: propertyName(content.key), content }, existing, facts),
    ({ answer, changes }) => ({
      answer,
      changes: [...guards.success, ...changes, ...renamedInSegments(existing, content.key, facts)]
    })
  )
}
