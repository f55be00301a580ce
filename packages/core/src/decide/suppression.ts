/**
 * Adds a reason to an address's suppression, or lifts one, and keeps its contact's status in step. Source: decision 0012.
 */
import type { Change } from "../domain/Change.ts"
import type { Contact } from "../domain/Contact.ts"
import type { IdBlock } from "../domain/Id.ts"
import { idAt } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import type { ProjectId } from "../domain/Project.ts"
import { subscriptionStep } from "../domain/SubscriptionTable.ts"
import type { Suppression, SuppressionReason } from "../domain/Suppression.ts"
import { withoutReason, withReason } from "../domain/Suppression.ts"
import { subscriptionEvent } from "./contact.ts"
import type { Decision } from "./Decision.ts"
import { settled } from "./Decision.ts"

export interface SuppressionFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly projectId: ProjectId
  /** Canonical. */
  readonly address: string
  readonly suppression: Suppression | null
  /** The contact that holds the address. */
  readonly contact: Contact | null
}

/** Only the reason `unsubscribed` shows in a contact's status; the guard keeps a contact from appearing meanwhile. */
const contactInStep = (
  { now, ids, projectId, address, contact }: SuppressionFacts,
  on: "UnsubscribeRequested" | "SubscribeRequested"
): ReadonlyArray<Change> => {
  if (contact === null)
    return [{ _tag: "Expect", record: { kind: "ContactAddress", projectId, address }, revision: null }]
  const row = subscriptionStep(contact.emailStatus, on)!
  if (row.to === contact.emailStatus) return []
  const after: Contact = { ...contact, emailStatus: row.to, updatedAt: now, revision: contact.revision + 1 }
  return [
    { _tag: "PutContact", contact: after, replaces: contact.revision },
    ...subscriptionEvent(row, after, idAt(ids, "evt", 0))
  ]
}

const written = (
  facts: SuppressionFacts,
  noted: Suppression | undefined,
  reason: SuppressionReason,
  on: "UnsubscribeRequested" | "SubscribeRequested"
): Decision<Suppression | null> =>
  noted === undefined
    ? settled(facts.suppression)
    : {
        answer: noted,
        changes: [
          { _tag: "PutSuppression", suppression: noted, replaces: facts.suppression?.revision ?? null },
          ...(reason === "unsubscribed" ? contactInStep(facts, on) : [])
        ]
      }

/** Answers with the suppression as it stands afterwards. */
export const suppressAddress = (reason: SuppressionReason, facts: SuppressionFacts): Decision<Suppression | null> =>
  written(
    facts,
    withReason(facts.projectId, facts.address, facts.suppression, reason, facts.now),
    reason,
    "UnsubscribeRequested"
  )

export const liftSuppression = (reason: SuppressionReason, facts: SuppressionFacts): Decision<Suppression | null> =>
  written(facts, withoutReason(facts.suppression, reason), reason, "SubscribeRequested")
