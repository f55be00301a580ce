/**
 * The kinds of resources, their ids, and the shape of every resource. `Resource.ts` has the content of each kind.
 */
import type { ProjectId } from "../access/Project.ts"
import type { Id } from "../value/Id.ts"
import type { Instant } from "../value/Instant.ts"

/** The prefix of the ids of each kind of resource. */
export const resourcePrefixes = {
  property: "prop",
  list: "lst",
  segment: "seg",
  template: "tpl",
  templateVersion: "tpv",
  templateBody: "tpb",
  webhook: "whk",
  subscription: "sub",
  projectDeletion: "pdl"
} as const

/** A kind of resource. */
export type ResourceKind = keyof typeof resourcePrefixes

/** The id of a resource, such as `tpl_01jx…` of a template. */
export type ResourceId<K extends ResourceKind = ResourceKind> = Id<(typeof resourcePrefixes)[K]>

/** A resource as a store keeps it. */
export interface StoredResource<K extends ResourceKind, Content> {
  readonly id: ResourceId<K>
  readonly projectId: ProjectId
  readonly kind: K
  /** The id of the parent resource, or `""`. */
  readonly parent: string
  /** Unique within project, kind and parent; `null` for a resource without a name. */
  readonly name: string | null
  readonly content: Content
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly revision: number
}
