/**
 * A contact: a person to whom a project sends mail. Source: docs/spec/coverage.md S7; decision 0012.
 */
import { Schema } from "effect"
import type { ProjectId } from "../access/Project.ts"
import type { ContactId } from "../value/Id.ts"
import type { Instant } from "../value/Instant.ts"
import { decoder, says } from "../value/Issue.ts"
import type { PropertyValue, PropertyValues } from "./Property.ts"
import type { EmailStatus } from "./EmailStatusTable.ts"
import type { SuppressionReason } from "./Suppression.ts"

/** Every way in which a contact is created. */
export const contactSources = ["manual", "import"] as const
/** How a contact was created: one by one, or by an import. */
export type ContactSource = (typeof contactSources)[number]

/** How a contact is created. */
export interface CreateContactOptions {
  /** Default: `manual`. */
  readonly source?: ContactSource | undefined
}

export const parseCreateContactOptions = decoder(
  Schema.Struct({
    source: Schema.optionalKey(
      Schema.Literals(contactSources).annotate(says("invalid_value", `must be one of ${contactSources.join(", ")}`))
    )
  })
)

/** A contact of a project. */
export interface Contact {
  /** Starts with `con_`. */
  readonly id: ContactId
  /** The address as it was last entered. Unique within the project; `ADA@x.example` and `ada@x.example` are the same address. */
  readonly email: string
  /** The product's own identifier of the person. */
  readonly userId: string | null
  /** Empty when the name is not known. */
  readonly firstName: string
  /** Empty when the name is not known. */
  readonly lastName: string
  /** `null` when the number is not known. */
  readonly phoneNumber: string | null
  /** `unsubscribed` if and only if the address has the suppression reason `unsubscribed`. */
  readonly emailStatus: EmailStatus
  /** How the contact was created. */
  readonly source: ContactSource
  /** Milliseconds since 1970 in UTC. */
  readonly createdAt: Instant
  /** When the contact was last changed, in milliseconds since 1970 in UTC. */
  readonly updatedAt: Instant
}

/** A contact with everything that Mailkeep knows of the person. */
export interface ContactDetail extends Contact {
  /** The values of the custom properties by property key, without the fallbacks. */
  readonly properties: Readonly<Record<string, PropertyValue>>
  /** The ids of the contact's lists. */
  readonly listIds: ReadonlyArray<string>
  /**
   * The strongest reason why the address gets no mail; `null` when there is no reason, or when the strongest is `unsubscribed`. So the address of
   * an unsubscribed contact shows a stronger reason, such as `hard_bounce`, but not `temporary_failure`, which is weaker.
   */
  readonly blockReason: SuppressionReason | null
}

/** A contact as a store keeps it. */
export interface ContactRecord extends Contact {
  readonly projectId: ProjectId
  /** The canonical form of `email`; unique within the project. */
  readonly address: string
  readonly properties: PropertyValues
  /** The ids of the contact's lists, sorted. Can contain ids of deleted lists. */
  readonly listIds: ReadonlyArray<string>
  readonly revision: number
}

/** Returns the contact without the fields that only the store needs. */
export const toContact = (record: ContactRecord): Contact => ({
  id: record.id,
  email: record.email,
  userId: record.userId,
  firstName: record.firstName,
  lastName: record.lastName,
  phoneNumber: record.phoneNumber,
  emailStatus: record.emailStatus,
  source: record.source,
  createdAt: record.createdAt,
  updatedAt: record.updatedAt
})
