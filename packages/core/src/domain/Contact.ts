/**
 * A contact: a person a project writes to. Source: interface, Contact; decision 0012.
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
  /** As last given. */
  readonly email: string
  /** Its canonical form; unique within the project. */
  readonly address: string
  readonly userId: string | null
  readonly firstName: string
  readonly lastName: string
  readonly phoneNumber: string | null
  /** `unsubscribed` exactly while the address holds the suppression reason of that name. */
  readonly emailStatus: EmailStatus
  readonly source: ContactSource
  readonly properties: PropertyValues
  /** The lists that it is on, sorted; one that was deleted since may stay among them. */
  readonly listIds: ReadonlyArray<string>
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly revision: number
}
