/**
 * Resources: properties, lists, segments, templates, webhooks and subscriptions. All resources have one shape.
 * Therefore a store needs no change for a new kind.
 */
import type { ContactList } from "./ContactList.ts"
import type { Id } from "./Id.ts"
import type { Instant } from "./Instant.ts"
import type { ProjectId } from "./Project.ts"
import type { PropertyContent } from "./Property.ts"
import type { Segment } from "./Segment.ts"
import type { Template, TemplateBody, TemplateVersion } from "./Template.ts"
import type { Subscription, Webhook } from "./Webhook.ts"

/** The content of each kind. It is JSON that a store writes and reads unchanged. */
interface Contents {
  property: PropertyContent
  list: ContactList
  segment: Segment
  template: Template
  templateVersion: TemplateVersion
  templateBody: TemplateBody
  webhook: Webhook
  subscription: Subscription
}

export type ResourceKind = keyof Contents

export const resourcePrefixes = {
  property: "prop",
  list: "lst",
  segment: "seg",
  template: "tpl",
  templateVersion: "tpv",
  templateBody: "tpb",
  webhook: "whk",
  subscription: "sub"
} as const satisfies Readonly<Record<ResourceKind, string>>

export type ResourceId<K extends ResourceKind = ResourceKind> = Id<(typeof resourcePrefixes)[K]>

export interface ResourceOf<K extends ResourceKind> {
  readonly id: ResourceId<K>
  readonly projectId: ProjectId
  readonly kind: K
  /** The id of the parent resource, or `""`. */
  readonly parent: string
  /** Unique within project, kind and parent; `null` for a resource without a name. */
  readonly name: string | null
  readonly content: Contents[K]
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly revision: number
}

export type Resource = { [K in ResourceKind]: ResourceOf<K> }[ResourceKind]

/** The maximum number of resources of one kind in a project, or below one parent. */
export const resourcesMax = 1000
