/**
 * Creates, updates and deletes resources. Source: decisions 0025 to 0028.
 */
import { Result } from "effect"
import type { Resource, ResourceKind, ResourceOf } from "../../domain/store/Resource.ts"
import { resourcePrefixes, resourcesMax } from "../../domain/store/Resource.ts"
import type { RecordName } from "../../domain/store/RecordFailure.ts"
import { NameTaken, RecordNotFound, TooManyRecords } from "../../domain/store/RecordFailure.ts"
import type { Json } from "../../domain/value/CanonicalJson.ts"
import { canonicalJson } from "../../domain/value/CanonicalJson.ts"
import type { IdBlock } from "../../domain/value/Id.ts"
import { idAt } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { Decision } from "./Decision.ts"
import { unchanged } from "./Decision.ts"

export interface PuttingFacts {
  readonly now: Instant
  /** The existing resource with the requested name. */
  readonly named: Resource | null
}

/** The facts for a new resource, except whether its name is free. */
export interface InsertingFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly projectId: ProjectId
  /** The number of resources of this kind below the parent. */
  readonly count: number
}

export interface NewFacts extends PuttingFacts, InsertingFacts {}

/** The facts to create a resource, or to update the existing one with its name. */
export interface EnsuringFacts<K extends ResourceKind> extends InsertingFacts {
  /** The resource with the name of the input; `null` if there is none. */
  readonly existing: ResourceOf<K> | null
}

/** The facts for an update of a resource. */
export interface ExistingFacts<K extends ResourceKind> extends PuttingFacts {
  /** The resource to update, or `null` if no resource of the kind has the id. */
  readonly existing: ResourceOf<K> | null
}

/** A new resource, with its name in failures (`record`) and the field that contains its unique name. */
export interface NewResource<K extends ResourceKind> {
  readonly kind: K
  readonly record: RecordName
  readonly field: string
  readonly parent?: string
  readonly name: string | null
  readonly content: ResourceOf<K>["content"]
  readonly max?: number
}

const decided = <K extends ResourceKind>(
  resource: ResourceOf<K>,
  replaces: number | null
): Decision<ResourceOf<K>> => ({
  answer: resource,
  changes: [{ _tag: "PutResource", resource: resource as Resource, replaces }]
})

/** Creates a resource that has no name, or whose name is free. Fails if the project has the maximum number of resources of the kind. */
export const insertResource = <K extends ResourceKind>(
  { kind, record, parent = "", name, content, max = resourcesMax }: Omit<NewResource<K>, "field">,
  { now, ids, projectId, count }: InsertingFacts
): Result.Result<Decision<ResourceOf<K>>, TooManyRecords> => {
  if (count >= max) return Result.fail(new TooManyRecords({ record, max }))
  const made: ResourceOf<K> = {
    id: idAt(ids, resourcePrefixes[kind], 0),
    projectId,
    kind,
    parent,
    name,
    content,
    createdAt: now,
    updatedAt: now,
    revision: 1
  }
  return Result.succeed(decided(made, null))
}

/** Creates a resource. Fails if its name is taken, and like `insertResource`. */
export const createResource = <K extends ResourceKind>(
  resource: NewResource<K>,
  facts: NewFacts
): Result.Result<Decision<ResourceOf<K>>, NameTaken | TooManyRecords> =>
  facts.named === null
    ? insertResource(resource, facts)
    : Result.fail(new NameTaken({ record: resource.record, field: resource.field }))

/** Replaces the name and the content of an existing resource. The new name is free or `null`. */
export const replaceResource = <K extends ResourceKind>(
  existing: ResourceOf<K>,
  { name, content }: Pick<NewResource<K>, "name" | "content">,
  now: Instant
): Decision<ResourceOf<K>> =>
  decided({ ...existing, name, content, updatedAt: now, revision: existing.revision + 1 }, existing.revision)

export const updateResource = <K extends ResourceKind>(
  { record, field, ...changed }: Omit<NewResource<K>, "kind" | "parent" | "max">,
  existing: ResourceOf<K>,
  { now, named }: PuttingFacts
): Result.Result<Decision<ResourceOf<K>>, NameTaken> =>
  named !== null && named.id !== existing.id
    ? Result.fail(new NameTaken({ record, field }))
    : Result.succeed(replaceResource(existing, changed, now))

/** Creates the resource, or gives the existing one with the name this content. Writes nothing if it has the content already. */
export const ensureResource = <K extends ResourceKind>(
  resource: Omit<NewResource<K>, "field">,
  { existing, ...facts }: EnsuringFacts<K>
): Result.Result<Decision<ResourceOf<K>>, TooManyRecords> => {
  if (existing === null) return insertResource(resource, facts)
  const isSame =
    canonicalJson(existing.content as unknown as Json) === canonicalJson(resource.content as unknown as Json)
  return Result.succeed(isSame ? unchanged(existing) : replaceResource(existing, resource, facts.now))
}

export const deleteResource = <K extends ResourceKind>(
  record: RecordName,
  id: string,
  existing: ResourceOf<K> | null
): Result.Result<Decision<null>, RecordNotFound> =>
  existing === null
    ? Result.fail(new RecordNotFound({ record, id }))
    : Result.succeed({
        answer: null,
        changes: [{ _tag: "RemoveResource", projectId: existing.projectId, id, revision: existing.revision }]
      })
