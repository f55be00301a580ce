/**
 * What a project defines once and uses often: properties, lists, segments, templates and consumers of events. All stand in one form, so that a
 * store keeps a new kind without learning it.
 */
import type { ContactList } from "./ContactList.ts"
import type { Id } from "./Id.ts"
import type { Instant } from "./Instant.ts"
import type { ProjectId } from "./Project.ts"
import type { PropertyDefinition } from "./Property.ts"
import type { Segment } from "./Segment.ts"
import type { Template, TemplateBody, TemplateVersion } from "./Template.ts"
import type { Subscription, Webhook } from "./Webhook.ts"

/** Each kind's content. JSON: a store keeps it as it is and looks at none of it. */
interface Contents {
  property: PropertyDefinition
  list: ContactList
  segment: Segment
  template: Template
  templateVersion: TemplateVersion
  templateBody: TemplateBody
  webhook: Webhook
  subscription: Subscription
}

export type DefinitionKind = keyof Contents

export const definitionPrefixes = {
  property: "prop",
  list: "lst",
  segment: "seg",
  template: "tpl",
  templateVersion: "tpv",
  templateBody: "tpb",
  webhook: "whk",
  subscription: "sub"
} as const satisfies Readonly<Record<DefinitionKind, string>>

export type DefinitionId<K extends DefinitionKind = DefinitionKind> = Id<(typeof definitionPrefixes)[K]>

export interface DefinitionOf<K extends DefinitionKind> {
  readonly id: DefinitionId<K>
  readonly projectId: ProjectId
  readonly kind: K
  /** The definition that this one belongs to, or `""`. */
  readonly parent: string
  /** Unique within project, kind and parent; `null` for one that goes by its id alone. */
  readonly name: string | null
  readonly content: Contents[K]
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly revision: number
}

export type Definition = { [K in DefinitionKind]: DefinitionOf<K> }[DefinitionKind]

/** Definitions of one kind that a project may have (or one of its definitions, below it). */
export const definitionsMax = 1000
