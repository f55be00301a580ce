/**
 * Resources: properties, lists, segments, templates with their versions and bodies, webhooks, subscriptions and the deletions of projects. All
 * resources have one shape.
 * Therefore a store needs no change for a new kind.
 */
import type { ContactListContent } from "../contact/ContactList.ts"
import type { PropertyContent } from "../contact/Property.ts"
import type { SegmentContent } from "../contact/Segment.ts"
import type { TemplateBodyContent, TemplateContent, TemplateVersionContent } from "../template/TemplateContent.ts"
import type { SubscriptionContent } from "../event/Subscription.ts"
import type { WebhookContent } from "../webhook/Webhook.ts"
import type { ProjectDeletionContent } from "../access/ProjectDeletion.ts"
import type { ResourceKind, StoredResource } from "./StoredResource.ts"

export type { ResourceId, ResourceKind } from "./StoredResource.ts"
export { resourcePrefixes } from "./StoredResource.ts"

/** The content of each kind. It is JSON that a store writes and reads unchanged. */
interface Contents extends Record<ResourceKind, unknown> {
  property: PropertyContent
  list: ContactListContent
  segment: SegmentContent
  template: TemplateContent
  templateVersion: TemplateVersionContent
  templateBody: TemplateBodyContent
  webhook: WebhookContent
  subscription: SubscriptionContent
  projectDeletion: ProjectDeletionContent
}

/** The resource of one kind, as a store keeps it. */
export type ResourceOf<K extends ResourceKind> = StoredResource<K, Contents[K]>

/** A resource of any kind, as a store keeps it. */
export type Resource = { [K in ResourceKind]: ResourceOf<K> }[ResourceKind]

/** The maximum number of resources of one kind in a project, or below one parent. */
export const resourcesMax = 1000

/** The maximum number of templates in a project together with the archived ones, because a list of templates reads all of them. */
export const templatesWithArchivedMax = 10 * resourcesMax
