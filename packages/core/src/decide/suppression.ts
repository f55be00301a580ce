/**
 * Adds a reason to a suppression, or removes reasons, and keeps the contact's status consistent. Source: decision 0012.
 */
import type { Change } from "../domain/Change.ts"
import type { Contact } from "../domain/Contact.ts"
import type { IdBlock } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import { subscriptionStep } from "../domain/SubscriptionTable.ts"
import type { KeyedAddress, Suppression, SuppressionReason } from "../domain/Suppression.ts"
import { withoutReason, withReason } from "../domain/Suppression.ts"
import { contactEvents } from "./contact.ts"
import { contactCounts } from "./contactCounts.ts"
import type { Decision } from "./Decision.ts"
import { settled } from "./Decision.ts"

export interface SuppressionFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly keyedAddress: KeyedAddress
  readonly suppression: Suppression | null
  /** The contact that has the address. */
  readonly contact: Contact | null
}

/** Updates the contact's status, which depends only on the reason `unsubscribed`. Guards that no contact is created in the meantime. */
const contactChanges = (
  { now, ids, keyedAddress: { projectId, address }, contact }: SuppressionFacts,
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
  changed: Suppression | undefined,
  on: "UnsubscribeRequested" | "SubscribeRequested"
): Decision<Suppression | null> => {
  const { suppression } = facts
  if (changed === undefined) return settled(suppression)
  const unsubscribedChanged = changed.reasons.unsubscribed !== suppression?.reasons.unsubscribed
  return {
    answer: changed,
    changes: [
      { _tag: "PutSuppression", suppression: changed, replaces: suppression?.revision ?? null },
      ...(unsubscribedChanged ? contactChanges(facts, on) : [])
    ]
  }
}

/** Adds a reason. The answer is the suppression after the change. */
export const suppressAddress = (reason: SuppressionReason, facts: SuppressionFacts): Decision<Suppression | null> =>
  written(facts, withReason(facts.keyedAddress, facts.suppression, reason, facts.now), "UnsubscribeRequested")

export const liftSuppression = (
  reasons: ReadonlyArray<SuppressionReason>,
  facts: SuppressionFacts
): Decision<Suppression | null> => {
  const lifted = reasons.reduce<Suppression | undefined>(
    (changed, reason) => withoutReason(changed ?? facts.suppression, reason) ?? changed,
    undefined
  )
  const { suppression } = facts
  return written(
    facts,
    // Several removed reasons are one write, so the revision increases by one.
    lifted === undefined ? undefined : { ...lifted, revision: suppression!.revision + 1 },
    "SubscribeRequested"
  )
}
