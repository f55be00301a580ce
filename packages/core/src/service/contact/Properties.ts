/**
 * The custom properties that the contacts of a project may have. Source: docs/spec/coverage.md S7.10; decision 0025.
 */
import { Context, Effect, Layer } from "effect"
import { createProperty, ensureProperty, updateProperty } from "../../decide/contact/property.ts"
import type { Caller } from "../../domain/access/ApiKey.ts"
import type { CreatePropertyInput, Property, UpdatePropertyInput } from "../../domain/contact/Property.ts"
import { parseCreateProperty, parseUpdateProperty, propertyName, toProperty } from "../../domain/contact/Property.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import type { NameTaken, RecordNotFound, TooManyRecords } from "../../domain/store/RecordFailure.ts"
import type { PropertyInUse } from "../../domain/contact/ContactFailure.ts"
import { makeCommit } from "../../internal/store/commit.ts"
import { resourcesOf } from "../../internal/store/resources.ts"
import { validated, validProject } from "../../internal/validated.ts"
import { IdSource } from "../../port/IdSource.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"

/**
 * The custom properties that the contacts of a project may have.
 *
 * @example
 * ```ts
 * import { Contacts, Properties } from "@mailkeep/core"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* (yield* Properties).create("prj_a", { key: "plan", type: "string", fallbackValue: "free" })
 *   return yield* (yield* Contacts).create("prj_a", { email: "ada@example.org", properties: { plan: "pro" } })
 * })
 * ```
 */
export class Properties extends Context.Service<
  Properties,
  {
    /** Returns all properties, newest first. A project has at most 200 properties. */
    readonly list: (caller: Caller) => Effect.Effect<ReadonlyArray<Property>, InvalidArgument | StoreUnavailable>
    /**
     * Creates a property. Fails with `InvalidArgument` when a field or the fallback is not valid, and with `NameTaken` when a property of
     * the project has the key in any case. Fails with `TooManyRecords` when the project has 200 properties.
     */
    readonly create: (
      caller: Caller,
      input: CreatePropertyInput
    ) => Effect.Effect<Property, InvalidArgument | NameTaken | TooManyRecords | StoreUnavailable>
    /**
     * Makes the property with this key what the input says, and creates it when it does not exist. A program may call this at every start. A fallback that
     * the input omits is kept. Fails with `InvalidArgument`, with `PropertyInUse` for another type while a contact has a value of the property, and with
     * `TooManyRecords` when the project has 200 properties.
     */
    readonly ensure: (
      caller: Caller,
      input: CreatePropertyInput
    ) => Effect.Effect<Property, InvalidArgument | PropertyInUse | TooManyRecords | StoreUnavailable>
    /**
     * Updates a property. With another key, the filters of the segments that name the property get it too. Fails with `PropertyInUse` for a change
     * of the type while a contact has a value of the property. Fails with `RecordNotFound`, and with `NameTaken` when another property of the
     * project has the key.
     */
    readonly update: (
      caller: Caller,
      propertyId: string,
      input: UpdatePropertyInput
    ) => Effect.Effect<Property, InvalidArgument | RecordNotFound | NameTaken | PropertyInUse | StoreUnavailable>
    /** Deletes a property and its values on all contacts. Fails with `RecordNotFound`. */
    readonly delete: (
      caller: Caller,
      propertyId: string
    ) => Effect.Effect<null, InvalidArgument | RecordNotFound | StoreUnavailable>
  }
>()("@mailkeep/core/service/Properties") {
  /** Makes the service from the services that it needs. `MailCore.layer` makes all of them. */
  static readonly layer = Layer.effect(
    Properties,
    Effect.gen(function* () {
      const store = yield* MailStore
      const commit = makeCommit(store)
      const deps = { store, ids: yield* IdSource }
      const resources = resourcesOf(deps, "property")
      const segments = resourcesOf(deps, "segment")

      const list = Effect.fn("Properties.list")(function* (caller: Caller) {
        const projectId = yield* validProject(caller)
        return (yield* resources.all(projectId)).map(toProperty)
      })

      const create = Effect.fn("Properties.create")(function* (caller: Caller, input: CreatePropertyInput) {
        const projectId = yield* validProject(caller)
        const property = yield* validated(parseCreateProperty, input)
        const load = yield* resources.newFacts(projectId, propertyName(property.key))
        return toProperty(yield* commit(load, (facts) => createProperty(property, facts), "bounded"))
      })

      const ensure = Effect.fn("Properties.ensure")(function* (caller: Caller, input: CreatePropertyInput) {
        const projectId = yield* validProject(caller)
        const property = yield* validated(parseCreateProperty, input)
        const load = Effect.flatMap(yield* resources.ensuringFacts(projectId, propertyName(property.key)), (facts) =>
          Effect.map(
            store.read([{ _tag: "Counters", projectId, names: [`property:${facts.existing?.id ?? ""}`] }]),
            ([[valueCount]]) => ({ ...facts, valueCount: valueCount! })
          )
        )
        return toProperty(yield* commit(load, (facts) => ensureProperty(property, facts), "bounded"))
      })

      const update = Effect.fn("Properties.update")(function* (
        caller: Caller,
        propertyId: string,
        input: UpdatePropertyInput
      ) {
        const projectId = yield* validProject(caller, { id: propertyId })
        const change = yield* validated(parseUpdateProperty, input)
        const name = change.key === undefined ? null : propertyName(change.key)
        const load = Effect.zipWith(
          Effect.zip(
            yield* resources.existingFacts(projectId, propertyId, name),
            name === null ? Effect.succeed([]) : segments.all(projectId)
          ),
          store.read([{ _tag: "Counters", projectId, names: [`property:${propertyId}`] }]),
          ([facts, segments], [[valueCount]]) => ({ ...facts, segments, valueCount: valueCount! })
        )
        return toProperty(yield* commit(load, (facts) => updateProperty(propertyId, change, facts), "bounded"))
      })

      return { list, create, ensure, update, delete: Effect.fn("Properties.delete")(resources.delete) }
    })
  )
}
