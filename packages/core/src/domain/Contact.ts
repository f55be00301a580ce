/**
 * A contact: a person to whom a project sends mail. Source: interface, Contact; decision 0012.
 */
import { Schema } from "effect"
import type { ContactId } from "./Id.ts"
import type { Instant } from "./Instant.ts"
import { decoder, says } from "./Issue.ts"
import type { ProjectId } from "./Project.ts"
import type { PropertyValues } from "./Property.ts"
import type { EmailStatus } from "./SubscriptionTable.ts"

export const contactSources = ["manual", "import"] as const
export type ContactSource = (typeof contactSources)[number]
export const parseContactSource = decoder(
  Schema.Struct({
    source: Schema.Literals(contactSources).annotate(
      says("invalid_value", `must be one of ${contactSources.join(", ")}`)
    )
  })
)

export interface Contact {
  readonly id: ContactId
  readonly projectId: ProjectId
  /** The address as it was last entered. */
  readonly email: string
  /** The canonical form of `email`; unique within the project. */
  readonly address: string
  readonly userId: string | null
  readonly firstName: string
  readonly lastName: string
  readonly phoneNumber: string | null
  /** `unsubscribed` if and only if the address has the suppression reason `unsubscribed`. */
  readonly emailStatus: EmailStatus
  readonly source: ContactSource
  readonly properties: PropertyValues
  /** The ids of the contact's lists, sorted. Can contain ids of deleted lists. */
  readonly listIds: ReadonlyArray<string>
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly revision: number
}
