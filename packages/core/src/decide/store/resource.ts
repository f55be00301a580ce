/**
 * Creates, updates and deletes resources. Source: decisions 0025 to 0028.
 */
import { Result } from "effect"
import type { Resource, ResourceKind, ResourceOf } from "../../domain/store/Resource.ts"
import { resourcePrefixes, resourcesMax } from "../../domain/store/Resource.ts"
import type { RecordName } from "../../domain/value/Failure.ts"
import { NameTaken, RecordNotFound, TooManyRecords } from "../../domain/value/Failure.ts"
import type { IdBlock } from "../../domain/value/Id.ts"
import { idAt } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { Decision } from "./Decision.ts"

export interface PuttingFacts {
  readonly now: Instant
  /** The existing resource with the requested name. */
  readonly named: Resource | null
}

export interface NewFacts extends PuttingFacts {
  readonly ids: IdBlock
  readonly projectId: ProjectId
  /** The number of resources of this kind below the parent. */
  readonly count: number
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

const decided = (resource: Resource, replaces: number | null) =>
  ({ answer: resource, changes: [{ _tag: "PutResource", resource, replaces }] }) as const

export const createResource = <K extends ResourceKind>(
  { kind, record, field, parent = "", name, content, max = resourcesMax }: NewResource<K>,
  { now, named, ids, projectId, count }: NewFacts
): Result.Result<Decision<ResourceOf<K>>, NameTaken | TooManyRecords> => {
  if (named !== null) return Result.fail(new NameTaken({ record, field }))
  if (count >= max) return Result.fail(new TooManyRecords({ record, max }))
  const made = {
    id: idAt(ids, resourcePrefixes[kind], 0),
    projectId,
    kind,
    parent,
    name,
    content,
    createdAt: now,
    updatedAt: now,
    revision: 1
  } as unknown as Resource
  return Result.succeed(decided(made, null) as unknown as Decision<ResourceOf<K>>)
}

export const updateResource = <K extends ResourceKind>(
  { record, field, name, content }: Omit<NewResource<K>, "kind" | "parent" | "max">,
  existing: ResourceOf<K>,
  { now, named }: PuttingFacts
): Result.Result<Decision<ResourceOf<K>>, NameTaken> => {
  if (named !== null && named.id !== existing.id) return Result.fail(new NameTaken({ record, field }))
  const after = { ...existing, name, content, updatedAt: now, revision: existing.revision + 1 } as unknown as Resource
  return Result.succeed(decided(after, existing.revision) as unknown as Decision<ResourceOf<K>>)
}

export const deleteResource = <K extends ResourceKind>(
  record: RecordName,
  id: string,
  existing: ResourceOf<K> | null
): Result.Result<Decision<null>, RecordNotFound> =>
  existing === null
    ? Result.fail(new RecordNotFound({ record, id }))
    : Result.succeed({ answer: null, changes: [{ _tag: "RemoveResource", id, revision: existing.revision }] })
