/**
 * Reads and writes the resources of one kind.
 */
import { Clock, Effect } from "effect"
import type { EnsuringFacts, ExistingFacts, NewFacts } from "../../decide/store/resource.ts"
import { deleteResource } from "../../decide/store/resource.ts"
import type { ResourceKind, ResourceOf } from "../../domain/store/Resource.ts"
import { resourcesMax } from "../../domain/store/Resource.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import type { RecordName } from "../../domain/store/RecordFailure.ts"
import { RecordNotFound } from "../../domain/store/RecordFailure.ts"
import type { Caller } from "../../domain/access/ApiKey.ts"
import type { Page, PageInput } from "../../domain/store/Paging.ts"
import { parsePageRequest } from "../../domain/store/PagingRequest.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { IdSource } from "../../port/IdSource.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import { clockFacts } from "./clockFacts.ts"
import { makeCommit } from "./commit.ts"
import { validated, validProject } from "../validated.ts"

export interface ResourceDeps {
  readonly store: MailStoreShape
  readonly ids: IdSource["Service"]
}

/** Returns the resource if it is of the kind, and `null` for another one. */
export const resourceOfKind = <K extends ResourceKind>(
  found: { readonly kind: ResourceKind } | null,
  kind: K
): ResourceOf<K> | null => (found?.kind === kind ? (found as ResourceOf<K>) : null)

/** Failures name the kind as the record. */
export const resourcesOf = <K extends ResourceKind & RecordName>({ store, ids }: ResourceDeps, kind: K) => {
  const commit = makeCommit(store)

  const ofKind = (found: { readonly kind: ResourceKind } | null) => resourceOfKind(found, kind)

  /** All resources of the project, newest first. */
  const all = (projectId: ProjectId): Effect.Effect<ReadonlyArray<ResourceOf<K>>, StoreUnavailable> =>
    Effect.map(
      store.read([{ _tag: "Resources", projectId, kind, parent: "", after: null, limit: resourcesMax }]),
      ([found]) => found as ReadonlyArray<ResourceOf<K>>
    )

  /** One page of the resources, newest first. */
  const list = (
    caller: Caller,
    input: PageInput = {}
  ): Effect.Effect<Page<ResourceOf<K>>, InvalidArgument | StoreUnavailable> =>
    Effect.gen(function* () {
      const projectId = yield* validProject(caller)
      const page = yield* validated(parsePageRequest, input, "filters")
      const [{ items, total }] = yield* store.read([{ _tag: "ResourcePage", projectId, kind, parent: "", page }])
      return { items: items as ReadonlyArray<ResourceOf<K>>, total, ...page }
    })

  const get = (
    caller: Caller,
    id: string
  ): Effect.Effect<ResourceOf<K>, InvalidArgument | RecordNotFound | StoreUnavailable> =>
    Effect.gen(function* () {
      const projectId = yield* validProject(caller, { id })
      const [found] = yield* store.read([{ _tag: "Resource", projectId, id }])
      return ofKind(found) ?? (yield* new RecordNotFound({ record: kind, id }))
    })

  /** The query for the resource with this name. */
  const named = (projectId: ProjectId, name: string) =>
    ({ _tag: "ResourceNamed", projectId, kind, parent: "", name }) as const

  /**
   * Reads the clock and reserves the id. Returns the effect that loads the facts for a new resource with this name.
   */
  const newFacts = (projectId: ProjectId, name: string): Effect.Effect<Effect.Effect<NewFacts, StoreUnavailable>> =>
    Effect.map(clockFacts(ids, 1), (clock) =>
      Effect.map(
        store.read([named(projectId, name), { _tag: "ResourceCount", projectId, kind, parent: "" }]),
        ([existing, count]) => ({ ...clock, projectId, named: existing, count })
      )
    )

  /** Like `newFacts`, for a resource that may exist. */
  const ensuringFacts = (projectId: ProjectId, name: string) =>
    Effect.map(
      newFacts(projectId, name),
      Effect.map(({ named, ...facts }): EnsuringFacts<K> => ({ ...facts, existing: ofKind(named) }))
    )

  /** Reads the clock. Returns the effect that loads the facts for an update. `name` is the new name, or `null` if the name stays. */
  const existingFacts = (
    projectId: ProjectId,
    id: string,
    name: string | null
  ): Effect.Effect<Effect.Effect<ExistingFacts<K>, StoreUnavailable>> =>
    Effect.map(Clock.currentTimeMillis, (now) =>
      Effect.map(
        store.read([{ _tag: "Resource", projectId, id }, named(projectId, name ?? "")]),
        ([found, holder]) => ({ now, existing: ofKind(found), named: name === null ? null : holder })
      )
    )

  const deleteOne = (
    caller: Caller,
    id: string
  ): Effect.Effect<null, InvalidArgument | RecordNotFound | StoreUnavailable> =>
    Effect.gen(function* () {
      const projectId = yield* validProject(caller, { id })
      return yield* commit(
        store.read([{ _tag: "Resource", projectId, id }]),
        ([found]) => deleteResource(kind, id, ofKind(found)),
        "bounded"
      )
    })

  return { all, list, get, named, newFacts, ensuringFacts, existingFacts, delete: deleteOne }
}
