/**
 * Converts the property values of a request from property keys to property ids. Source: interface, Create a contact; decision 0025.
 */
import { Result } from "effect"
import type { Change } from "../domain/Change.ts"
import type { ResourceId, ResourceOf } from "../domain/Resource.ts"
import { InvalidArgument } from "../domain/Failure.ts"
import type { Issue } from "../domain/Issue.ts"
import { issue } from "../domain/Issue.ts"
import type { PropertyValue, PropertyValues } from "../domain/Property.ts"
import { propertyName, valueComplaint } from "../domain/Property.ts"
import { expectResource } from "./expectation.ts"

interface Resolved {
  readonly values: PropertyValues
  /** Guards that the type of each property is unchanged since it was read. */
  readonly guards: ReadonlyArray<Change>
}

export const resolveProperties = (
  requested: Readonly<Record<string, PropertyValue | null>> | undefined,
  resources: ReadonlyArray<ResourceOf<"property">>
): Result.Result<Resolved, InvalidArgument> => {
  const byName = new Map(resources.map((one) => [one.name, one]))
  const issues: Array<Issue> = []
  const values: Record<ResourceId<"property">, PropertyValue> = {}
  const guards: Array<Change> = []
  for (const [key, value] of Object.entries(requested ?? {})) {
    const path = ["properties", key]
    const resource = byName.get(propertyName(key))
    if (resource === undefined) {
      issues.push(issue(path, "undefined_property", "is not a defined custom property"))
      continue
    }
    if (value === null) continue
    const complaint = valueComplaint(resource.content.type, value)
    if (complaint !== undefined) issues.push(issue(path, "invalid_type", complaint))
    values[resource.id] = value
    guards.push(expectResource(resource))
  }
  return issues.length > 0
    ? Result.fail(new InvalidArgument({ context: "body", issues }))
    : Result.succeed({ values, guards })
}
