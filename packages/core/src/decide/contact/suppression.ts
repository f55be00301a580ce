/**
 * Adds a reason to a suppression, or removes reasons, and keeps the contact's status consistent. Source: decision 0012.
 */
import { Result } from "effect"
import type { Change } from "../../domain/store/Change.ts"
import { isErased } from "../../domain/contact/addressRedaction.ts"
import type { ContactRecord } from "../../domain/contact/Contact.ts"
import type { ValidReasonChange } from "../../domain/contact/SuppressionRequest.ts"
import { RecordNotFound } from "../../domain/store/RecordFailure.ts"
import type { IdBlock } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { emailStatusStep } from "../../domain/contact/EmailStatusTable.ts"
import type { KeyedAddress, SuppressionReason, SuppressionRecord } from "../../domain/contact/Suppression.ts"
import {
  isWithoutAddress,
  suppressedFor,
  suppressionReasons,
  withAddress,
  withoutReason,
  withReason
} from "../../domain/contact/Suppression.ts"
import { contactEvents } from "./contact.ts"
import { contactCounts } from "./contactCounts.ts"
import type { Decision } from "../store/Decision.ts"
import { unchanged } from "../store/Decision.ts"

export interface SuppressionFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly keyedAddress: KeyedAddress
  readonly suppression: SuppressionRecord | null
  /** The contact that has the address. */
  readonly contact: ContactRecord | null
}

/** Updates the contact's status, which depends only on the reason `unsubscribed`. Guards that no contact is created in the meantime. */
const contactChanges = (
  { now, ids, keyedAddress: { projectId, address }, contact }: SuppressionFacts,
  on: "UnsubscribeRequested" | "SubscribeRequested"
): ReadonlyArray<Change> => {
  if (contact === null)
    return [{ _tag: "Expect", record: { kind: "ContactAddress", projectId, address }, revision: null }]
  const row = emailStatusStep(contact.emailStatus, on)!
  if (row.to === contact.emailStatus) return []
  const after: ContactRecord = { ...contact, emailStatus: row.to, updatedAt: now, revision: contact.revision + 1 }
  return [
    { _tag: "PutContact", contact: after, replaces: contact.revision },
    ...contactCounts(projectId, contact, after),
    ...contactEvents([row.emits], after, ids)
  ]
}

const written = (
  facts: SuppressionFacts,
  changed: SuppressionRecord | undefined,
  on: "UnsubscribeRequested" | "SubscribeRequested"
): Decision<SuppressionRecord | null> => {
  const { suppression } = facts
  if (changed === undefined) return unchanged(suppression)
  const unsubscribedChanged = changed.reasons.unsubscribed !== suppression?.reasons.unsubscribed
  return {
    answer: changed,
    changes: [
      { _tag: "PutSuppression", suppression: changed, replaces: suppression?.revision ?? null },
      ...(unsubscribedChanged ? contactChanges(facts, on) : [])
    ]
  }
}

/**
 * Returns the change that suppresses an address for what happened to its mail. Nothing changes without a reason, or when the address has it. For
 * the reasons that do not concern the status of a contact. The placeholder of an erased address gets no suppression: the erased address stays
 * suppressed under its own key. An address that was deleted with its contact stays deleted, because no caller gives it again.
 */
export const suppressAddress = (
  { now, keyedAddress, suppression }: Pick<SuppressionFacts, "now" | "keyedAddress" | "suppression">,
  reason: Exclude<SuppressionReason, "unsubscribed"> | null
): ReadonlyArray<Change> => {
  const changed =
    reason === null || isErased(keyedAddress) ? undefined : withReason(keyedAddress, suppression, reason, now)
  return changed === undefined
    ? []
    : [
        {
          _tag: "PutSuppression",
          suppression: isWithoutAddress(suppression) ? { ...changed, address: null } : changed,
          replaces: suppression?.revision ?? null
        }
      ]
}

/** Adds a reason and keeps the others. The answer is the suppression after the change, with its address. */
export const addReason = ({ reason }: ValidReasonChange, facts: SuppressionFacts): Decision<SuppressionRecord> => {
  const { keyedAddress, suppression, now } = facts
  const { changes, answer } = written(
    facts,
    withReason(keyedAddress, suppression, reason, now) ?? withAddress(keyedAddress, suppression),
    "UnsubscribeRequested"
  )
  return { changes, answer: answer! }
}

const withoutReasons = (
  reasons: ReadonlyArray<SuppressionReason>,
  facts: SuppressionFacts
): Decision<SuppressionRecord | null> => {
  const { suppression } = facts
  const changed = reasons.reduce<SuppressionRecord | undefined>(
    (changed, reason) => withoutReason(changed ?? suppression, reason) ?? changed,
    undefined
  )
  return written(
    facts,
    // Several removed reasons are one write, so the revision increases by one.
    changed === undefined ? undefined : { ...changed, revision: suppression!.revision + 1 },
    "SubscribeRequested"
  )
}

/** Removes one reason and keeps the others. The answer is the suppression after the change; `null` if there never was one. */
export const removeReason = (
  { reason }: ValidReasonChange,
  facts: SuppressionFacts
): Decision<SuppressionRecord | null> => withoutReasons([reason], facts)

/** Removes all reasons. Fails when no reason applies now. */
export const deleteSuppression = (facts: SuppressionFacts): Result.Result<Decision<null>, RecordNotFound> =>
  suppressedFor(facts.suppression, facts.now) === null
    ? Result.fail(new RecordNotFound({ record: "suppression", id: "" }))
    : Result.succeed({ changes: withoutReasons(suppressionReasons, facts).changes, answer: null })
