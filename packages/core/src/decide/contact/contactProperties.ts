/**
 * Converts the property values of an input from property keys to property ids. Source: docs/spec/coverage.md S7.10; decision 0025.
 */
import { Result } from "effect"
import type { Change } from "../../domain/store/Change.ts"
import type { ResourceId, ResourceOf } from "../../domain/store/Resource.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import type { Issue } from "../../domain/value/Issue.ts"
import { issue } from "../../domain/value/Issue.ts"
import type { PropertyValue, PropertyValues } from "../../domain/contact/Property.ts"
import { propertyName, valueProblem } from "../../domain/contact/Property.ts"
import { invalidInput } from "../store/Decision.ts"
import { expectResource } from "../store/expectation.ts"

interface Resolved {
  readonly values: PropertyValues
  /** The properties whose value the input removes. */
  readonly removed: ReadonlyArray<ResourceId<"property">>
  /** Guards that the type of each property is unchanged since it was read. */
  readonly guards: ReadonlyArray<Change>
}

/**
 * Resolves the property keys of an input to the ids of properties, without regard to case. `null` removes a value. Fails with one issue for each key that
 * no property has, and for each value that is not of the type of its property.
 */
export const resolveProperties = (
  requested: Readonly<Record<string, PropertyValue | null>> | undefined,
  properties: ReadonlyArray<ResourceOf<"property">>
): Result.Result<Resolved, InvalidArgument> => {
  const byName = new Map(properties.map((one) => [one.name, one]))
  const issues: Array<Issue> = []
  const values: Record<ResourceId<"property">, PropertyValue> = {}
  const removed: Array<ResourceId<"property">> = []
  const guards: Array<Change> = []
  for (const [key, value] of Object.entries(requested ?? {})) {
    const path = ["properties", key]
    const property = byName.get(propertyName(key))
    if (property === undefined) {
      issues.push(issue(path, "undefined_property", "is not a defined custom property"))
      continue
    }
    if (value === null) {
      removed.push(property.id)
      continue
    }
    const problem = valueProblem(property.content.type, value)
    if (problem !== undefined) issues.push(issue(path, problem.code, problem.message))
    values[property.id] = value
    guards.push(expectResource(property))
  }
  return issues.length > 0 ? invalidInput(issues) : Result.succeed({ values, removed, guards })
}

/** The values of a contact after a change of only some properties. The others keep their values. */
export const mergedProperties = (
  existing: PropertyValues,
  { values, removed }: Pick<Resolved, "values" | "removed">
): PropertyValues => {
  const isRemoved = new Set<string>(removed)
  return { ...Object.fromEntries(Object.entries(existing).filter(([id]) => !isRemoved.has(id))), ...values }
}
