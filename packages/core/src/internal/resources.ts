/**
 * Reads and writes the resources of one kind.
 */
import { Clock, Effect, Result } from "effect"
import type { Decision } from "../decide/Decision.ts"
import type { NewResource, PuttingFacts } from "../decide/resource.ts"
import { createResource, updateResource, deleteResource } from "../decide/resource.ts"
import type { ResourceKind, ResourceOf } from "../domain/Resource.ts"
import { resourcesMax } from "../domain/Resource.ts"
import type { InvalidArgument, NameTaken, RecordName, TooManyRecords } from "../domain/Failure.ts"
import { RecordNotFound } from "../domain/Failure.ts"
import type { Page, PageRequest, Position } from "../domain/Paging.ts"
import { parsePageRequest } from "../domain/PagingRequest.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { IdSource } from "../port/IdSource.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import { decideAndCommit } from "./decideAndCommit.ts"
import { validated, validIds } from "./validated.ts"

export interface ResourceParts {
  readonly store: MailStoreShape
  readonly ids: IdSource["Service"]
}

/** The new name and content of a resource. */
export interface ResourceUpdate<K extends ResourceKind> {
  readonly name: string | null
  readonly content: ResourceOf<K>["content"]
}

export const resourcesOf = <K extends ResourceKind>(
  { store, ids }: ResourceParts,
  { kind, record, field }: { readonly kind: K; readonly record: RecordName; readonly field: string }
) => {
  const ofKind = (found: { readonly kind: ResourceKind } | null): ResourceOf<K> | null =>
    found?.kind === kind ? (found as ResourceOf<K>) : null

  /** Newest first. */
  const all = (
    projectId: ProjectId,
    parent = "",
    after: Position | null = null,
    limit = resourcesMax
  ): Effect.Effect<ReadonlyArray<ResourceOf<K>>, StoreUnavailable> =>
    Effect.map(
      store.read([{ _tag: "Resources", projectId, kind, parent, after, limit }]),
      ([found]) => found as ReadonlyArray<ResourceOf<K>>
    )

  /** One page of the resources, newest first. */
  const page = (
    projectId: ProjectId,
    request: PageRequest
  ): Effect.Effect<Page<ResourceOf<K>>, InvalidArgument | StoreUnavailable> =>
    Effect.gen(function* () {
      yield* validIds({ projectId })
      const page = yield* validated(parsePageRequest, request, "query")
      const [{ items, total }] = yield* store.read([{ _tag: "ResourcePage", projectId, kind, parent: "", page }])
      return { items: items as ReadonlyArray<ResourceOf<K>>, total, ...page }
    })

  const get = (
    projectId: ProjectId,
    id: string
  ): Effect.Effect<ResourceOf<K>, InvalidArgument | RecordNotFound | StoreUnavailable> =>
    Effect.gen(function* () {
      yield* validIds({ projectId, id })
      const [found] = yield* store.read([{ _tag: "Resource", projectId, id }])
      return ofKind(found) ?? (yield* new RecordNotFound({ record, id }))
    })

  const named = (projectId: ProjectId, parent: string, name: string | null) =>
    ({ _tag: "ResourceNamed", projectId, kind, parent, name: name ?? "" }) as const

  const create = (
    projectId: ProjectId,
    asked: Omit<NewResource<K>, "kind" | "record" | "field">
  ): Effect.Effect<ResourceOf<K>, NameTaken | TooManyRecords | StoreUnavailable> =>
    Effect.gen(function* () {
      const { parent = "", name } = asked
      const now = yield* Clock.currentTimeMillis
      const block = yield* ids.reserve(now, 1)
      return yield* decideAndCommit(
        store,
        store.read([named(projectId, parent, name), { _tag: "ResourceCount", projectId, kind, parent }]),
        ([existing, count]) =>
          createResource({ ...asked, kind, record, field }, { now, ids: block, projectId, named: existing, count })
      )
    })

  /** `change` computes the new name and content from the existing resource. */
  const update = <E = never>(
    projectId: ProjectId,
    id: string,
    nameAsked: string | null,
    change: (existing: ResourceOf<K>, facts: PuttingFacts) => Result.Result<ResourceUpdate<K>, E>
  ): Effect.Effect<ResourceOf<K>, InvalidArgument | RecordNotFound | NameTaken | StoreUnavailable | E> =>
    Effect.gen(function* () {
      yield* validIds({ projectId, id })
      const now = yield* Clock.currentTimeMillis
      return yield* decideAndCommit(
        store,
        store.read([{ _tag: "Resource", projectId, id }, named(projectId, "", nameAsked)]),
        ([found, holder]): Result.Result<Decision<ResourceOf<K>>, RecordNotFound | NameTaken | E> => {
          const existing = ofKind(found)
          if (existing === null) return Result.fail(new RecordNotFound({ record, id }))
          const facts: PuttingFacts = { now, named: nameAsked === null ? null : holder }
          return Result.flatMap(change(existing, facts), (after) =>
            updateResource({ ...after, record, field }, existing, facts)
          )
        }
      )
    })

  const remove = (
    projectId: ProjectId,
    id: string
  ): Effect.Effect<null, InvalidArgument | RecordNotFound | StoreUnavailable> =>
    Effect.andThen(
      validIds({ projectId, id }),
      decideAndCommit(store, store.read([{ _tag: "Resource", projectId, id }]), ([found]) =>
        deleteResource(record, id, ofKind(found))
      )
    )

  return { all, page, get, create, update, remove }
}
