/**
 * Creates and updates custom properties. Source: decisions 0025 and 0034.
 */
import { Result } from "effect"
import type { ResourceOf } from "../domain/Resource.ts"
import type { NameTaken } from "../domain/Failure.ts"
import { InvalidArgument, PropertyInUse, RecordNotFound } from "../domain/Failure.ts"
import { issue } from "../domain/Issue.ts"
import type { CreateProperty, PropertyContent, UpdateProperty } from "../domain/Property.ts"
import { fallbackComplaint, fallbackText, propertyName } from "../domain/Property.ts"
import type { Decision } from "./Decision.ts"
import type { PuttingFacts } from "./resource.ts"
import { updateResource } from "./resource.ts"
import { expectUncounted } from "./expectation.ts"

type PropertyRecord = ResourceOf<"property">

const withFallbackOfType = (content: PropertyContent): Result.Result<PropertyContent, InvalidArgument> => {
  const fallback = fallbackText(content)
  const complaint = fallback === null ? undefined : fallbackComplaint(content.type, fallback)
  return complaint === undefined
    ? Result.succeed({ ...content, fallbackValue: fallback })
    : Result.fail(
        new InvalidArgument({ context: "body", issues: [issue(["fallback_value"], "invalid_type", complaint)] })
      )
}

/** Makes the content of a new property. */
export const newProperty = ({
  key,
  type,
  fallback_value: fallbackValue = null
}: CreateProperty): Result.Result<PropertyContent, InvalidArgument> => withFallbackOfType({ key, type, fallbackValue })

export interface UpdatePropertyFacts extends PuttingFacts {
  readonly property: PropertyRecord | null
  /** How many contacts have a value of the property. */
  readonly values: number
}

/** Updates a property. Its type can change only if no contact has a value. The commit guards that this is still true. */
export const updateProperty = (
  propertyId: string,
  request: UpdateProperty,
  { property, values, ...facts }: UpdatePropertyFacts
): Result.Result<Decision<PropertyRecord>, InvalidArgument | RecordNotFound | NameTaken | PropertyInUse> => {
  if (property === null) return Result.fail(new RecordNotFound({ record: "property", id: propertyId }))
  const { key, type, fallbackValue } = property.content
  const retyped = request.type !== undefined && request.type !== type
  if (retyped && values > 0) return Result.fail(new PropertyInUse({ propertyId }))
  const content = withFallbackOfType({
    key: request.key ?? key,
    type: request.type ?? type,
    fallbackValue: request.fallback_value === undefined ? fallbackValue : request.fallback_value
  })
  return Result.flatMap(content, (content) =>
    Result.map(
      updateResource({ record: "property", field: "key", name: propertyName(content.key), content }, property, facts),
      ({ answer, changes }) => ({
        answer,
        changes: retyped ? [expectUncounted(property.projectId, `property:${property.id}`), ...changes] : changes
      })
    )
  )
}
