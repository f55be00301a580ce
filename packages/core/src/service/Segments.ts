/**
 * Segments: the contacts that match a stored filter. Source: decision 0026.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { ContactPredicate } from "../domain/ContactPredicate.ts"
import type { ResourceOf } from "../domain/Resource.ts"
import type { NameTaken, RecordNotFound, TooManyRecords } from "../domain/Failure.ts"
import { InvalidArgument } from "../domain/Failure.ts"
import type { Page, PageRequest } from "../domain/Paging.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { CreateSegment, SegmentFilter, UpdateSegment } from "../domain/Segment.ts"
import { compileSegment, parseCreateSegment, parseUpdateSegment } from "../domain/Segment.ts"
import { resourcesOf } from "../internal/resources.ts"
import { validated, validIds } from "../internal/validated.ts"
import { IdSource } from "../port/IdSource.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"
import { Properties } from "./Properties.ts"

type SegmentRecord = ResourceOf<"segment">

export class Segments extends Context.Service<
  Segments,
  {
    /** Newest first. */
    readonly page: (
      projectId: ProjectId,
      page: PageRequest
    ) => Effect.Effect<Page<SegmentRecord>, InvalidArgument | StoreUnavailable>
    readonly get: (
      projectId: ProjectId,
      id: string
    ) => Effect.Effect<SegmentRecord, InvalidArgument | RecordNotFound | StoreUnavailable>
    /** Names are unique without regard to case. */
    readonly create: (
      projectId: ProjectId,
      request: CreateSegment
    ) => Effect.Effect<SegmentRecord, InvalidArgument | NameTaken | TooManyRecords | StoreUnavailable>
    readonly update: (
      projectId: ProjectId,
      id: string,
      request: UpdateSegment
    ) => Effect.Effect<SegmentRecord, InvalidArgument | RecordNotFound | NameTaken | StoreUnavailable>
    readonly remove: (
      projectId: ProjectId,
      id: string
    ) => Effect.Effect<null, InvalidArgument | RecordNotFound | StoreUnavailable>
    /**
     * The filter in the form that a store evaluates. Returns `null` when the segment does not exist, or when its filter uses a property
     * that is no longer defined. Such a segment matches no contact.
     */
    readonly predicateOf: (
      projectId: ProjectId,
      id: string
    ) => Effect.Effect<ContactPredicate | null, InvalidArgument | StoreUnavailable>
  }
>()("@mailkeep/core/service/Segments") {
  static readonly layerNoDeps = Layer.effect(
    Segments,
    Effect.gen(function* () {
      const store = yield* MailStore
      const properties = yield* Properties
      const resources = resourcesOf(
        { store, ids: yield* IdSource },
        { kind: "segment", record: "segment", field: "name" }
      )

      const validFilter = Effect.fnUntraced(function* (projectId: ProjectId, filter: unknown) {
        const compiled = compileSegment(filter, yield* properties.list(projectId))
        if (Result.isFailure(compiled)) return yield* new InvalidArgument({ context: "body", issues: compiled.failure })
        return filter as SegmentFilter
      })

      const create = Effect.fn("Segments.create")(function* (projectId: ProjectId, request: CreateSegment) {
        yield* validIds({ projectId })
        const { name, filter } = yield* validated(parseCreateSegment, request)
        const content = { name, filter: yield* validFilter(projectId, filter) }
        return yield* resources.create(projectId, { name: name.toLowerCase(), content })
      })

      const update = Effect.fn("Segments.update")(function* (projectId: ProjectId, id: string, request: UpdateSegment) {
        yield* validIds({ projectId, id })
        const asked = yield* validated(parseUpdateSegment, request)
        const filter = asked.filter === undefined ? undefined : yield* validFilter(projectId, asked.filter)
        return yield* resources.update(projectId, id, asked.name?.toLowerCase() ?? null, ({ content }) => {
          const after = { name: asked.name ?? content.name, filter: filter ?? content.filter }
          return Result.succeed({ name: after.name.toLowerCase(), content: after })
        })
      })

      const predicateOf = Effect.fn("Segments.predicateOf")(function* (projectId: ProjectId, id: string) {
        yield* validIds({ projectId, id })
        const [segment] = yield* store.read([{ _tag: "Resource", projectId, id }])
        if (segment?.kind !== "segment") return null
        return Result.getOrNull(compileSegment(segment.content.filter, yield* properties.list(projectId)))
      })

      return { page: resources.page, get: resources.get, create, update, remove: resources.remove, predicateOf }
    })
  )
}
