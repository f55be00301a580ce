/**
 * Creates, updates and erases a contact, and keeps its suppression consistent with its status.
 * Source: interface, Create a contact, Update a contact; decision 0012.
 */
import { Result } from "effect"
import type { Change } from "../domain/Change.ts"
import type { Contact, ContactSource } from "../domain/Contact.ts"
import type { CreateContact, UpdateContact } from "../domain/ContactRequest.ts"
import type { ResourceOf } from "../domain/Resource.ts"
import type { InvalidArgument } from "../domain/Failure.ts"
import { ContactEmailTaken, ContactNotFound, PlanLimitReached } from "../domain/Failure.ts"
import type { IdBlock } from "../domain/Id.ts"
import { idAt } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import type { ContactEventData } from "../domain/MailEvent.ts"
import type { Plan } from "../domain/Plan.ts"
import { fits } from "../domain/Plan.ts"
import type { PropertyValues } from "../domain/Property.ts"
import { subscriptionStep } from "../domain/SubscriptionTable.ts"
import type { SubscriptionRow } from "../domain/SubscriptionTable.ts"
import type { KeyedAddress, Suppression } from "../domain/Suppression.ts"
import { withoutAddress, withoutReason, withReason } from "../domain/Suppression.ts"
import { contactCounts } from "./contactCounts.ts"
import type { Decision } from "./Decision.ts"
import { expectSuppression } from "./expectation.ts"
import { resolveProperties } from "./contactProperties.ts"

export interface ContactFacts {
  readonly now: Instant
  readonly ids: IdBlock
  /** The address of the request. */
  readonly keyedAddress: KeyedAddress
  /** The contact that has this address. */
  readonly holder: Contact | null
  readonly suppression: Suppression | null
  /** All properties of the project, if the request has property values. */
  readonly properties: ReadonlyArray<ResourceOf<"property">>
}

/** Writes the changed suppression, or guards the unchanged one, so that it is consistent with the contact's status. */
const keepSuppression = (
  { projectId, addressKey }: KeyedAddress,
  changed: Suppression | undefined,
  existing: Suppression | null
): Change =>
  changed === undefined
    ? expectSuppression(projectId, addressKey, existing)
    : { _tag: "PutSuppression", suppression: changed, replaces: existing?.revision ?? null }

type ContactEventKind = "contact.created" | "contact.updated" | NonNullable<SubscriptionRow["emits"]>

/** Appends one event for each kind, in this order. */
export const contactEvents = (
  kinds: ReadonlyArray<ContactEventKind | undefined>,
  contact: Contact,
  ids: IdBlock
): ReadonlyArray<Change> =>
  kinds.flatMap((kind, n) => {
    if (kind === undefined) return []
    const { projectId, updatedAt: occurredAt } = contact
    const data: ContactEventData = { contact, reason: kind === "contact.unsubscribed" ? "unsubscribed" : null }
    return [{ _tag: "AppendEvent", event: { id: idAt(ids, "evt", n), projectId, occurredAt, kind, data } }]
  })

const phoneNumberOf = (text: string | undefined): string | null => (text === undefined || text === "" ? null : text)

export const createContact = (
  request: CreateContact,
  source: ContactSource,
  facts: ContactFacts & { readonly plan: Plan; readonly contactsUsed: number }
): Result.Result<Decision<Contact>, InvalidArgument | ContactEmailTaken | PlanLimitReached> => {
  const { now, ids, keyedAddress, holder, suppression, plan, contactsUsed } = facts
  const values = resolveProperties(request.properties, facts.properties)
  if (Result.isFailure(values)) return Result.fail(values.failure)
  if (holder !== null) return Result.fail(new ContactEmailTaken({ field: "email" }))
  if (!fits(plan.contacts, contactsUsed, 1))
    return Result.fail(new PlanLimitReached({ code: "contact_limit_exceeded" }))
  const contact: Contact = {
    id: idAt(ids, "con", 0),
    projectId: keyedAddress.projectId,
    email: request.email.trim(),
    address: keyedAddress.address,
    userId: request.userId ?? null,
    firstName: request.firstName ?? "",
    lastName: request.lastName ?? "",
    phoneNumber: phoneNumberOf(request.phoneNumber),
    emailStatus: subscriptionStep("none", "ContactCreated")!.to,
    source,
    properties: values.success.values,
    listIds: [],
    createdAt: now,
    updatedAt: now,
    revision: 1
  }
  return Result.succeed({
    answer: contact,
    changes: [
      ...values.success.guards,
      keepSuppression(keyedAddress, withoutReason(suppression, "unsubscribed"), suppression),
      { _tag: "PutContact", contact, replaces: null },
      ...contactCounts(keyedAddress.projectId, null, contact, plan.contacts),
      ...contactEvents(["contact.created"], contact, ids)
    ]
  })
}

export interface UpdateFacts extends ContactFacts {
  /** The contact to update. */
  readonly contact: Contact | null
}

/** Returns the trigger that an update fires on the subscription. `suppression` belongs to the new address. */
const triggerOf = (
  request: UpdateContact,
  contact: Contact,
  addressChanges: boolean,
  suppression: Suppression | null
): SubscriptionRow["on"] | undefined => {
  if (request.emailStatus === "unsubscribed") return "UnsubscribeRequested"
  if (request.emailStatus === "subscribed") return "SubscribeRequested"
  // An unsubscribed contact adds the reason to its new address. A subscribed contact takes the reason of its new address.
  if (!addressChanges) return undefined
  return contact.emailStatus === "unsubscribed" || suppression?.reasons.unsubscribed !== undefined
    ? "SuppressedAddressTaken"
    : undefined
}

const updatedContact = (
  request: UpdateContact,
  contact: Contact,
  { address }: KeyedAddress,
  values: PropertyValues,
  now: Instant
): Contact => ({
  ...contact,
  email: request.email.trim(),
  address,
  userId: request.userId === undefined ? contact.userId : request.userId,
  firstName: request.firstName ?? contact.firstName,
  lastName: request.lastName ?? contact.lastName,
  phoneNumber: request.phoneNumber === undefined ? contact.phoneNumber : phoneNumberOf(request.phoneNumber),
  properties: request.properties === undefined ? contact.properties : values,
  updatedAt: now,
  revision: contact.revision + 1
})

export const updateContact = (
  contactId: string,
  request: UpdateContact,
  facts: UpdateFacts
): Result.Result<Decision<Contact>, InvalidArgument | ContactNotFound | ContactEmailTaken> => {
  const { now, ids, keyedAddress, contact, holder, suppression } = facts
  const values = resolveProperties(request.properties, facts.properties)
  if (Result.isFailure(values)) return Result.fail(values.failure)
  if (contact === null) return Result.fail(new ContactNotFound({ contactId }))
  if (holder !== null && holder.id !== contact.id) return Result.fail(new ContactEmailTaken({ field: "email" }))

  const trigger = triggerOf(request, contact, keyedAddress.address !== contact.address, suppression)
  const row = trigger === undefined ? undefined : subscriptionStep(contact.emailStatus, trigger)
  const emailStatus = row?.to ?? contact.emailStatus
  const after = { ...updatedContact(request, contact, keyedAddress, values.success.values, now), emailStatus }
  const changed =
    emailStatus === "unsubscribed"
      ? withReason(keyedAddress, suppression, "unsubscribed", now)
      : withoutReason(suppression, "unsubscribed")
  return Result.succeed({
    answer: after,
    changes: [
      ...values.success.guards,
      keepSuppression(keyedAddress, changed, suppression),
      { _tag: "PutContact", contact: after, replaces: contact.revision },
      ...contactCounts(keyedAddress.projectId, contact, after),
      ...contactEvents([row?.emits, "contact.updated"], after, ids)
    ]
  })
}

export interface EraseFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly keyedAddress: KeyedAddress
  readonly contact: Contact | null
  /** The suppression of the contact's address. */
  readonly suppression: Suppression | null
}

/** Deletes all data of the contact. The suppression remains, but only with its address key and without the address. */
export const eraseContact = (
  contactId: string,
  { now, ids, keyedAddress, contact, suppression }: EraseFacts
): Result.Result<Decision<null>, ContactNotFound> => {
  if (contact === null) return Result.fail(new ContactNotFound({ contactId }))
  const { id, projectId } = contact
  return Result.succeed({
    answer: null,
    changes: [
      { _tag: "RemoveContact", id, revision: contact.revision },
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
