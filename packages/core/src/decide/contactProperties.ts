/**
 * Turns the properties of a request, by key, into values by definition. Source: interface, Create a contact; decision 0025.
 */
import { Result } from "effect"
import type { Change } from "../domain/Change.ts"
import type { DefinitionId, DefinitionOf } from "../domain/Definition.ts"
import { InvalidArgument } from "../domain/Failure.ts"
import type { Issue } from "../domain/Issue.ts"
import { issue } from "../domain/Issue.ts"
import type { PropertyValue, PropertyValues } from "../domain/Property.ts"
import { propertyName, valueComplaint } from "../domain/Property.ts"
import { expectDefinition } from "./expectation.ts"

interface Resolved {
  readonly values: PropertyValues
  /** A value is of the type that its definition had when it was read. */
  readonly guards: ReadonlyArray<Change>
}

export const resolveProperties = (
  asked: Readonly<Record<string, PropertyValue | null>> | undefined,
  definitions: ReadonlyArray<DefinitionOf<"property">>
): Result.Result<Resolved, InvalidArgument> => {
  const byName = new Map(definitions.map((one) => [one.name, one]))
  const issues: Array<Issue> = []
  const values: Record<DefinitionId<"property">, PropertyValue> = {}
  const guards: Array<Change> = []
  for (const [key, value] of Object.entries(asked ?? {})) {
    const path = ["properties", key]
    const definition = byName.get(propertyName(key))
    if (definition === undefined) {
      issues.push(issue(path, "undefined_property", "is not a defined custom property"))
      continue
    }
    if (value === null) continue
    const complaint = valueComplaint(definition.content.type, value)
    if (complaint !== undefined) issues.push(issue(path, "invalid_type", complaint))
    values[definition.id] = value
    guards.push(expectDefinition(definition))
  }
  return issues.length > 0
    ? Result.fail(new InvalidArgument({ context: "body", issues }))
    : Result.succeed({ values, guards })
}
