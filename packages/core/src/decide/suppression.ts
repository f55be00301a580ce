/**
 * Adds a reason to an address's suppression, or lifts reasons, and keeps its contact's status in step. Source: decision 0012.
 */
import type { Change } from "../domain/Change.ts"
import type { Contact } from "../domain/Contact.ts"
import type { IdBlock } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import { subscriptionStep } from "../domain/SubscriptionTable.ts"
import type { SuppressedAddress, Suppression, SuppressionReason } from "../domain/Suppression.ts"
import { withoutReason, withReason } from "../domain/Suppression.ts"
import { contactEvents } from "./contact.ts"
import { contactCounts } from "./contactCounts.ts"
import type { Decision } from "./Decision.ts"
import { settled } from "./Decision.ts"

export interface SuppressionFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly place: SuppressedAddress
  readonly suppression: Suppression | null
  /** The contact that holds the address. */
  readonly contact: Contact | null
}

/** Only the reason `unsubscribed` shows in a contact's status; the guard keeps a contact from appearing meanwhile. */
const contactInStep = (
  { now, ids, place: { projectId, address }, contact }: SuppressionFacts,
  on: "UnsubscribeRequested" | "SubscribeRequested"
): ReadonlyArray<Change> => {
  if (contact === null)
    return [{ _tag: "Expect", record: { kind: "ContactAddress", projectId, address }, revision: null }]
  const row = subscriptionStep(contact.emailStatus, on)!
  if (row.to === contact.emailStatus) return []
  const after: Contact = { ...contact, emailStatus: row.to, updatedAt: now, revision: contact.revision + 1 }
  return [
    { _tag: "PutContact", contact: after, replaces: contact.revision },
    ...contactCounts(projectId, contact, after),
    ...contactEvents([row.emits], after, ids)
  ]
}

const written = (
  facts: SuppressionFacts,
  noted: Suppression | undefined,
  on: "UnsubscribeRequested" | "SubscribeRequested"
): Decision<Suppression | null> => {
  const { suppression } = facts
  if (noted === undefined) return settled(suppression)
  const unsubscribedMoved = noted.reasons.unsubscribed !== suppression?.reasons.unsubscribed
  return {
    answer: noted,
    changes: [
      { _tag: "PutSuppression", suppression: noted, replaces: suppression?.revision ?? null },
      ...(unsubscribedMoved ? contactInStep(facts, on) : [])
    ]
  }
}

/** Answers with the suppression as it stands afterwards. */
export const suppressAddress = (reason: SuppressionReason, facts: SuppressionFacts): Decision<Suppression | null> =>
  written(facts, withReason(facts.place, facts.suppression, reason, facts.now), "UnsubscribeRequested")

export const liftSuppression = (
  reasons: ReadonlyArray<SuppressionReason>,
  facts: SuppressionFacts
): Decision<Suppression | null> => {
  const lifted = reasons.reduce<Suppression | undefined>(
    (noted, reason) => withoutReason(noted ?? facts.suppression, reason) ?? noted,
    undefined
  )
  const { suppression } = facts
  return written(
    facts,
    // However many reasons go, it is one write.
    lifted === undefined ? undefined : { ...lifted, revision: suppression!.revision + 1 },
    "SubscribeRequested"
  )
}
