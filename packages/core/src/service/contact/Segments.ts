/**
 * Segments: the contacts that match a stored filter. Source: decision 0026.
 */
import { Context, Effect, Layer } from "effect"
import { createSegment, ensureSegment, updateSegment } from "../../decide/contact/segment.ts"
import type { Caller } from "../../domain/access/ApiKey.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { CreateSegmentInput, Segment, UpdateSegmentInput } from "../../domain/contact/Segment.ts"
import { parseCreateSegment, parseUpdateSegment, segmentName, toSegment } from "../../domain/contact/Segment.ts"
import type { Page, PageInput } from "../../domain/store/Paging.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import type { NameTaken, RecordNotFound, TooManyRecords } from "../../domain/store/RecordFailure.ts"
import { makeCommit } from "../../internal/store/commit.ts"
import { resourcesOf } from "../../internal/store/resources.ts"
import { validated, validProject } from "../../internal/validated.ts"
import { IdSource } from "../../port/IdSource.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"

/**
 * The segments of a project: stored filters of contacts. `Contacts.list` lists the contacts of a segment.
 *
 * @example
 * ```ts
 * import { Contacts, Segments } from "@mailkeep/core"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const filter = { field: "email", op: "ends_with", value: "@example.org" } as const
 *   const { id } = yield* (yield* Segments).create("prj_a", { name: "Example", filter })
 *   return yield* (yield* Contacts).list("prj_a", { segmentId: id })
 * })
 * ```
 */
export class Segments extends Context.Service<
  Segments,
  {
    /** Returns one page of the segments, newest first. */
    readonly list: (
      caller: Caller,
      input?: PageInput
    ) => Effect.Effect<Page<Segment>, InvalidArgument | StoreUnavailable>
    /** Returns a segment. Fails with `RecordNotFound`. */
    readonly get: (
      caller: Caller,
      segmentId: string
    ) => Effect.Effect<Segment, InvalidArgument | RecordNotFound | StoreUnavailable>
    /**
     * Creates a segment. Fails with `InvalidArgument`, which has an issue for each part of the filter that is not valid. Fails with
     * `NameTaken` when a segment of the project has the name in any case, and with `TooManyRecords` when the project has 1,000 segments.
     */
    readonly create: (
      caller: Caller,
      input: CreateSegmentInput
    ) => Effect.Effect<Segment, InvalidArgument | NameTaken | TooManyRecords | StoreUnavailable>
    /**
     * Gives the segment with this name the filter of the input, and creates it when it does not exist. A program may call this at every start. Fails with
     * `InvalidArgument` as `create` does, and with `TooManyRecords` when the project has 1,000 segments.
     */
    readonly ensure: (
      caller: Caller,
      input: CreateSegmentInput
    ) => Effect.Effect<Segment, InvalidArgument | TooManyRecords | StoreUnavailable>
    /** Updates a segment. Fails with `RecordNotFound`, and like `create` when the name or the filter is not valid. */
    readonly update: (
      caller: Caller,
      segmentId: string,
      input: UpdateSegmentInput
    ) => Effect.Effect<Segment, InvalidArgument | RecordNotFound | NameTaken | StoreUnavailable>
    /** Deletes a segment. Its contacts stay. Fails with `RecordNotFound`. */
    readonly delete: (
      caller: Caller,
      segmentId: string
    ) => Effect.Effect<null, InvalidArgument | RecordNotFound | StoreUnavailable>
  }
>()("@mailkeep/core/service/Segments") {
  /** Makes the service from the services that it needs. `MailCore.layer` makes all of them. */
  static readonly layer = Layer.effect(
    Segments,
    Effect.gen(function* () {
      const store = yield* MailStore
      const commit = makeCommit(store)
      const deps = { store, ids: yield* IdSource }
      const resources = resourcesOf(deps, "segment")
      const properties = resourcesOf(deps, "property")

      /** Adds the properties of the project, which a filter may use. */
      const withProperties = <A, E>(projectId: ProjectId, load: Effect.Effect<A, E>) =>
        Effect.zipWith(load, properties.all(projectId), (facts, properties) => ({ ...facts, properties }))

      const list = Effect.fn("Segments.list")(function* (caller: Caller, input: PageInput = {}) {
        const { items, ...page } = yield* resources.list(caller, input)
        return { items: items.map(toSegment), ...page }
      })

      const get = Effect.fn("Segments.get")(function* (caller: Caller, segmentId: string) {
        return toSegment(yield* resources.get(caller, segmentId))
      })

      const create = Effect.fn("Segments.create")(function* (caller: Caller, input: CreateSegmentInput) {
        const projectId = yield* validProject(caller)
        const segment = yield* validated(parseCreateSegment, input)
        const load = withProperties(projectId, yield* resources.newFacts(projectId, segmentName(segment.name)))
        return toSegment(yield* commit(load, (facts) => createSegment(segment, facts), "bounded"))
      })

      const ensure = Effect.fn("Segments.ensure")(function* (caller: Caller, input: CreateSegmentInput) {
        const projectId = yield* validProject(caller)
        const segment = yield* validated(parseCreateSegment, input)
        const load = withProperties(projectId, yield* resources.ensuringFacts(projectId, segmentName(segment.name)))
        return toSegment(yield* commit(load, (facts) => ensureSegment(segment, facts), "bounded"))
      })

      const update = Effect.fn("Segments.update")(function* (
        caller: Caller,
        segmentId: string,
        input: UpdateSegmentInput
      ) {
        const projectId = yield* validProject(caller, { id: segmentId })
        const change = yield* validated(parseUpdateSegment, input)
        const name = change.name === undefined ? null : segmentName(change.name)
        const load = withProperties(projectId, yield* resources.existingFacts(projectId, segmentId, name))
        return toSegment(yield* commit(load, (facts) => updateSegment(segmentId, change, facts), "bounded"))
      })

      return { list, get, create, ensure, update, delete: Effect.fn("Segments.delete")(resources.delete) }
    })
  )
}
