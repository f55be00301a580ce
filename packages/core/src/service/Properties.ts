/**
 * The custom properties that the contacts of a project may have. Source: interface, Create a contact; decision 0025.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { newProperty, updateProperty } from "../decide/property.ts"
import type { ResourceOf } from "../domain/Resource.ts"
import type { InvalidArgument, NameTaken, PropertyInUse, RecordNotFound, TooManyRecords } from "../domain/Failure.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { CreateProperty, UpdateProperty } from "../domain/Property.ts"
import { parseCreateProperty, parseUpdateProperty, propertiesMax, propertyName } from "../domain/Property.ts"
import { decideAndCommit } from "../internal/decideAndCommit.ts"
import { resourcesOf } from "../internal/resources.ts"
import { validated, validIds } from "../internal/validated.ts"
import { IdSource } from "../port/IdSource.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"

export type Property = ResourceOf<"property">

export class Properties extends Context.Service<
  Properties,
  {
    /** Newest first. A project has at most 200 properties. */
    readonly list: (projectId: ProjectId) => Effect.Effect<ReadonlyArray<Property>, InvalidArgument | StoreUnavailable>
    /** Property keys are unique without regard to case. */
    readonly create: (
      projectId: ProjectId,
      request: CreateProperty
    ) => Effect.Effect<Property, InvalidArgument | NameTaken | TooManyRecords | StoreUnavailable>
    /** Fails with `PropertyInUse` for a change of the type while a contact has a value of the property. */
    readonly update: (
      projectId: ProjectId,
      id: string,
      request: UpdateProperty
    ) => Effect.Effect<Property, InvalidArgument | RecordNotFound | NameTaken | PropertyInUse | StoreUnavailable>
    /** Deletes the property and its values on all contacts. */
    readonly remove: (
      projectId: ProjectId,
      id: string
    ) => Effect.Effect<null, InvalidArgument | RecordNotFound | StoreUnavailable>
  }
>()("@mailkeep/core/service/Properties") {
  static readonly layerNoDeps = Layer.effect(
    Properties,
    Effect.gen(function* () {
      const store = yield* MailStore
      const resources = resourcesOf(
        { store, ids: yield* IdSource },
        { kind: "property", record: "property", field: "key" }
      )

      const list = Effect.fn("Properties.list")(function* (projectId: ProjectId) {
        yield* validIds({ projectId })
        return yield* resources.all(projectId)
      })

      const create = Effect.fn("Properties.create")(function* (projectId: ProjectId, request: CreateProperty) {
        yield* validIds({ projectId })
        const content = yield* Effect.fromResult(newProperty(yield* validated(parseCreateProperty, request)))
        return yield* resources.create(projectId, { name: propertyName(content.key), content, max: propertiesMax })
      })

      const update = Effect.fn("Properties.update")(function* (
        projectId: ProjectId,
        id: string,
        request: UpdateProperty
      ) {
        yield* validIds({ projectId, id })
        const asked = yield* validated(parseUpdateProperty, request)
        const now = yield* Clock.currentTimeMillis
        const name = asked.key === undefined ? "" : propertyName(asked.key)
        return yield* decideAndCommit(
          store,
          store.read([
            { _tag: "Resource", projectId, id },
            { _tag: "ResourceNamed", projectId, kind: "property", parent: "", name },
            { _tag: "Counters", projectId, names: [`property:${id}`] }
          ]),
          ([found, named, [values]]) => {
            const property = found?.kind === "property" ? found : null
            return updateProperty(id, asked, { now, named, property, values: values! })
          }
        )
      })

      return { list, create, update, remove: resources.remove }
    })
  )
}
