/**
 * The custom properties that a project's contacts may have. Source: interface, Create a contact; decision 0025.
 */
import { Context, Effect, Layer, Result } from "effect"
import { expectUncounted } from "../decide/expectation.ts"
import type { DefinitionOf } from "../domain/Definition.ts"
import type { NameTaken, RecordNotFound, TooManyRecords } from "../domain/Failure.ts"
import { InvalidArgument, PropertyInUse } from "../domain/Failure.ts"
import { issue } from "../domain/Issue.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { CreateProperty, PropertyDefinition, UpdateProperty } from "../domain/Property.ts"
import { propertiesMax, propertyName, valueComplaint } from "../domain/Property.ts"
import { definitionsOf } from "../internal/definitions.ts"
import { IdSource } from "../port/IdSource.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"

export type Property = DefinitionOf<"property">

export class Properties extends Context.Service<
  Properties,
  {
    /** Newest first; at most 200. */
    readonly list: (projectId: ProjectId) => Effect.Effect<ReadonlyArray<Property>, StoreUnavailable>
    /** Keys are unique without regard to case. */
    readonly create: (
      projectId: ProjectId,
      request: CreateProperty
    ) => Effect.Effect<Property, InvalidArgument | NameTaken | TooManyRecords | StoreUnavailable>
    /** The type changes only while no contact has a value. */
    readonly update: (
      projectId: ProjectId,
      id: string,
      request: UpdateProperty
    ) => Effect.Effect<Property, InvalidArgument | RecordNotFound | NameTaken | PropertyInUse | StoreUnavailable>
    /** The values that contacts have of it go with it. */
    readonly remove: (projectId: ProjectId, id: string) => Effect.Effect<null, RecordNotFound | StoreUnavailable>
  }
>()("@mailkeep/core/service/Properties") {
  static readonly layerNoDeps = Layer.effect(
    Properties,
    Effect.gen(function* () {
      const store = yield* MailStore
      const kept = definitionsOf(
        { store, ids: yield* IdSource },
        { kind: "property", record: "property", field: "key" }
      )

      const judged = (content: PropertyDefinition): Result.Result<PropertyDefinition, InvalidArgument> => {
        const { type, fallbackValue } = content
        const complaint = fallbackValue === null ? undefined : valueComplaint(type, fallbackValue)
        if (complaint === undefined) return Result.succeed(content)
        const issues = [issue(["fallback_value"], "invalid_type", complaint)]
        return Result.fail(new InvalidArgument({ context: "body", issues }))
      }

      const create = Effect.fn("Properties.create")(function* (projectId: ProjectId, request: CreateProperty) {
        const { key, type, fallback_value: fallbackValue = null } = request
        const content = yield* Effect.fromResult(judged({ key, type, fallbackValue }))
        return yield* kept.create(projectId, { name: propertyName(key), content, max: propertiesMax })
      })

      const update = Effect.fn("Properties.update")(function* (
        projectId: ProjectId,
        id: string,
        request: UpdateProperty
      ) {
        const [[used]] = yield* store.read([{ _tag: "Counters", projectId, names: [`property:${id}`] }])
        const name = request.key === undefined ? null : propertyName(request.key)
        return yield* kept.update<InvalidArgument | PropertyInUse>(projectId, id, name, (standing) => {
          const { key, type, fallbackValue } = standing.content
          const retyped = request.type !== undefined && request.type !== type
          if (retyped && used! > 0) return Result.fail(new PropertyInUse({ propertyId: id }))
          const after: PropertyDefinition = {
            key: request.key ?? key,
            type: request.type ?? type,
            fallbackValue: request.fallback_value === undefined ? fallbackValue : request.fallback_value
          }
          return Result.map(judged(after), (content) => ({
            name: propertyName(content.key),
            content,
            guards: retyped ? [expectUncounted(projectId, `property:${id}`)] : []
          }))
        })
      })

      return { list: (projectId) => kept.all(projectId), create, update, remove: kept.remove }
    })
  )
}
