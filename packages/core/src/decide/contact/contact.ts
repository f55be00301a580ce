/**
 * Creates, updates and deletes a contact, and keeps its suppression consistent with its status.
 * Source: docs/spec/coverage.md S7; decision 0012.
 */
import { Result } from "effect"
import type { Change } from "../../domain/store/Change.ts"
import type { ContactRecord, ContactSource } from "../../domain/contact/Contact.ts"
import type { ValidCreateContact, ValidUpdateContact } from "../../domain/contact/ContactRequest.ts"
import type { ResourceOf } from "../../domain/store/Resource.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import { ContactEmailTaken, ContactNotFound } from "../../domain/contact/ContactFailure.ts"
import { PlanLimitReached } from "../../domain/plan/PlanFailure.ts"
import type { IdBlock } from "../../domain/value/Id.ts"
import { idAt } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { ContactEventRecordData } from "../../domain/event/EventRecord.ts"
import type { Plan } from "../../domain/plan/Plan.ts"
import { excessOf } from "../../domain/plan/Plan.ts"
import type { PropertyValues } from "../../domain/contact/Property.ts"
import { emailStatusStep } from "../../domain/contact/EmailStatusTable.ts"
import type { EmailStatus, EmailStatusRow } from "../../domain/contact/EmailStatusTable.ts"
import type { KeyedAddress, SuppressionRecord } from "../../domain/contact/Suppression.ts"
import { withAddress, withoutAddress, withoutReason, withReason } from "../../domain/contact/Suppression.ts"
import { contactCounts } from "./contactCounts.ts"
import type { Decision } from "../store/Decision.ts"
import { expectSuppression } from "../store/expectation.ts"
import { mergedProperties, resolveProperties } from "./contactProperties.ts"

export interface ContactFacts {
  readonly now: Instant
  readonly ids: IdBlock
  /** The address of the input. */
  readonly keyedAddress: KeyedAddress
  /** The contact that has this address. */
  readonly holder: ContactRecord | null
  readonly suppression: SuppressionRecord | null
  /** All properties of the project, if the input has property values. */
  readonly properties: ReadonlyArray<ResourceOf<"property">>
}

/** Writes the changed suppression, or guards the unchanged one, so that it is consistent with the contact's status. */
export const keepSuppression = (
  { projectId, addressKey }: KeyedAddress,
  changed: SuppressionRecord | undefined,
  existing: SuppressionRecord | null
): Change =>
  changed === undefined
    ? expectSuppression(projectId, addressKey, existing)
    : { _tag: "PutSuppression", suppression: changed, replaces: existing?.revision ?? null }

type ContactEventKind = "contact.created" | "contact.updated" | NonNullable<EmailStatusRow["emits"]>

/** Appends one event for each kind, in this order. */
export const contactEvents = (
  kinds: ReadonlyArray<ContactEventKind | undefined>,
  contact: ContactRecord,
  ids: IdBlock
): ReadonlyArray<Change> =>
  kinds.flatMap((kind, n) => {
    if (kind === undefined) return []
    const { projectId, updatedAt: occurredAt } = contact
    const data: ContactEventRecordData = { contact, reason: kind === "contact.unsubscribed" ? "unsubscribed" : null }
    return [{ _tag: "AppendEvent", event: { id: idAt(ids, "evt", n), projectId, occurredAt, kind, data } }]
  })

/** A contact to create. */
export interface NewContact {
  readonly input: ValidCreateContact
  readonly source: ContactSource
  /** The status to give to the contact and its address. `undefined` keeps the reason `unsubscribed` if the address has it. */
  readonly emailStatus: EmailStatus | undefined
}

/** Returns the trigger that a creation fires on the email status. An address that is unsubscribed already does not change. */
const triggerOfCreation = (
  emailStatus: EmailStatus | undefined,
  suppression: SuppressionRecord | null
): EmailStatusRow["trigger"] => {
  if (emailStatus === "subscribed") return "ContactCreated"
  if (suppression?.reasons.unsubscribed !== undefined) return "SuppressedAddressTaken"
  return emailStatus === "unsubscribed" ? "UnsubscribeRequested" : "ContactCreated"
}

/**
 * Returns the suppression that is consistent with the status of the contact, or `undefined` if it already is. A suppression that lost its address
 * with an earlier contact gets the address back.
 */
const suppressionFor = (
  emailStatus: EmailStatus,
  keyedAddress: KeyedAddress,
  existing: SuppressionRecord | null,
  now: Instant
): SuppressionRecord | undefined => {
  const changed =
    emailStatus === "unsubscribed"
      ? withReason(keyedAddress, existing, "unsubscribed", now)
      : withoutReason(existing, "unsubscribed")
  if (changed === undefined) return withAddress(keyedAddress, existing)
  const { address } = keyedAddress
  return Object.keys(changed.reasons).length === 0 ? changed : { ...changed, address }
}

const phoneNumberOf = (text: string | undefined): string | null => (text === undefined || text === "" ? null : text)

/** Creates a contact. Fails if the project has a contact with this address, or if its plan allows no further contact. */
export const createContact = (
  { input, source, emailStatus }: NewContact,
  facts: ContactFacts & { readonly plan: Plan; readonly contactsUsed: number }
): Result.Result<Decision<ContactRecord>, InvalidArgument | ContactEmailTaken | PlanLimitReached> => {
  const { now, ids, keyedAddress, holder, suppression, plan, contactsUsed } = facts
  const resolved = resolveProperties(input.properties, facts.properties)
  if (Result.isFailure(resolved)) return Result.fail(resolved.failure)
  if (holder !== null) return Result.fail(new ContactEmailTaken({ field: "email" }))
  const excess = excessOf(plan.contacts, contactsUsed, 1)
  if (excess !== undefined) return Result.fail(new PlanLimitReached({ code: "contact_limit_exceeded", excess }))
  const row = emailStatusStep("none", triggerOfCreation(emailStatus, suppression))!
  const contact: ContactRecord = {
    id: idAt(ids, "con", 0),
    projectId: keyedAddress.projectId,
    email: input.email.trim(),
    address: keyedAddress.address,
    userId: input.userId ?? null,
    firstName: input.firstName ?? "",
    lastName: input.lastName ?? "",
    phoneNumber: phoneNumberOf(input.phoneNumber),
    emailStatus: row.to,
    source,
    properties: resolved.success.values,
    listIds: [],
    createdAt: now,
    updatedAt: now,
    revision: 1
  }
  return Result.succeed({
    answer: contact,
    changes: [
      ...resolved.success.guards,
      keepSuppression(keyedAddress, suppressionFor(row.to, keyedAddress, suppression, now), suppression),
      { _tag: "PutContact", contact, replaces: null },
      ...contactCounts(keyedAddress.projectId, null, contact, plan.contacts),
      ...contactEvents(["contact.created", row.emits], contact, ids)
    ]
  })
}

export interface UpdateContactFacts extends ContactFacts {
  /** The contact to update. */
  readonly contact: ContactRecord | null
  /** Whether the properties that the input does not name keep their values. Otherwise the input replaces all values. */
  readonly keepsProperties: boolean
}

/** Returns the trigger that an update fires on the email status. `suppression` belongs to the new address. */
const triggerOf = (
  input: ValidUpdateContact,
  contact: ContactRecord,
  addressChanges: boolean,
  suppression: SuppressionRecord | null
): EmailStatusRow["trigger"] | undefined => {
  if (input.emailStatus === "unsubscribed") return "UnsubscribeRequested"
  if (input.emailStatus === "subscribed") return "SubscribeRequested"
  // An unsubscribed contact adds the reason to its new address. A subscribed contact takes the reason of its new address.
  if (!addressChanges) return undefined
  return contact.emailStatus === "unsubscribed" || suppression?.reasons.unsubscribed !== undefined
    ? "SuppressedAddressTaken"
    : undefined
}

const updatedContact = (
  input: ValidUpdateContact,
  contact: ContactRecord,
  { address }: KeyedAddress,
  values: PropertyValues,
  now: Instant
): ContactRecord => ({
  ...contact,
  email: input.email.trim(),
  address,
  userId: input.userId === undefined ? contact.userId : input.userId,
  firstName: input.firstName ?? contact.firstName,
  lastName: input.lastName ?? contact.lastName,
  phoneNumber: input.phoneNumber === undefined ? contact.phoneNumber : phoneNumberOf(input.phoneNumber),
  properties: input.properties === undefined ? contact.properties : values,
  updatedAt: now,
  revision: contact.revision + 1
})

/**
 * Updates the fields of a contact that the input has. Fails if another contact has the new address. `facts.suppression` belongs to the new address; the
 * suppression of the old address does not change.
 */
export const updateContact = (
  contactId: string,
  input: ValidUpdateContact,
  facts: UpdateContactFacts
): Result.Result<Decision<ContactRecord>, InvalidArgument | ContactNotFound | ContactEmailTaken> => {
  const { now, ids, keyedAddress, contact, holder, suppression } = facts
  const resolved = resolveProperties(input.properties, facts.properties)
  if (Result.isFailure(resolved)) return Result.fail(resolved.failure)
  if (contact === null) return Result.fail(new ContactNotFound({ contactId }))
  if (holder !== null && holder.id !== contact.id) return Result.fail(new ContactEmailTaken({ field: "email" }))

  const trigger = triggerOf(input, contact, keyedAddress.address !== contact.address, suppression)
  const row = trigger === undefined ? undefined : emailStatusStep(contact.emailStatus, trigger)
  const emailStatus = row?.to ?? contact.emailStatus
  const properties = facts.keepsProperties
    ? mergedProperties(contact.properties, resolved.success)
    : resolved.success.values
  const after = { ...updatedContact(input, contact, keyedAddress, properties, now), emailStatus }
  return Result.succeed({
    answer: after,
    changes: [
      ...resolved.success.guards,
      keepSuppression(keyedAddress, suppressionFor(emailStatus, keyedAddress, suppression, now), suppression),
      { _tag: "PutContact", contact: after, replaces: contact.revision },
      ...contactCounts(keyedAddress.projectId, contact, after),
      ...contactEvents([row?.emits, "contact.updated"], after, ids)
    ]
  })
}

export interface DeleteContactFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly keyedAddress: KeyedAddress
  readonly contact: ContactRecord | null
  /** The suppression of the contact's address. */
  readonly suppression: SuppressionRecord | null
}

/** Deletes all data of the contact. The suppression remains, but only with its address key and without the address. */
export const deleteContact = (
  contactId: string,
  { now, ids, keyedAddress, contact, suppression }: DeleteContactFacts
): Result.Result<Decision<null>, ContactNotFound> => {
  if (contact === null) return Result.fail(new ContactNotFound({ contactId }))
  const { id, projectId } = contact
  return Result.succeed({
    answer: null,
    changes: [
      { _tag: "RemoveContact", projectId, id, revision: contact.revision },
      keepSuppression(keyedAddress, withoutAddress(suppression), suppression),
      ...contactCounts(projectId, contact, null),
      {
        _tag: "AppendEvent",
        event: {
          id: idAt(ids, "evt", 0),
          projectId,
          occurredAt: now,
          kind: "contact.deleted",
          data: { contactId: id }
        }
      }
    ]
  })
}
