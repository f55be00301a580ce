/**
 * Creates and updates a contact, together with the suppression that its status mirrors.
 * Source: interface, Create a contact, Update a contact; decision 0012.
 */
import { Result } from "effect"
import { parseAddress } from "../domain/Address.ts"
import type { Change } from "../domain/Change.ts"
import type { Contact } from "../domain/Contact.ts"
import type { CreateContact, UpdateContact } from "../domain/ContactRequest.ts"
import { ContactEmailTaken, ContactNotFound, InvalidArgument, PlanLimitReached } from "../domain/Failure.ts"
import type { EventId, IdBlock } from "../domain/Id.ts"
import { idAt } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import { issue } from "../domain/Issue.ts"
import type { Plan } from "../domain/Plan.ts"
import { fits } from "../domain/Plan.ts"
import type { ProjectId } from "../domain/Project.ts"
import { subscriptionStep } from "../domain/SubscriptionTable.ts"
import type { SubscriptionRow } from "../domain/SubscriptionTable.ts"
import type { Suppression } from "../domain/Suppression.ts"
import { withoutReason, withReason } from "../domain/Suppression.ts"
import type { Decision } from "./Decision.ts"
import { expectSuppression } from "./expectation.ts"

export interface ContactFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly projectId: ProjectId
  /** The contact that holds the request's address. */
  readonly holder: Contact | null
  /** The suppression of the request's address. */
  readonly suppression: Suppression | null
}

/** No custom property can be defined yet, so every key is unknown. */
const undefinedProperties = (properties: CreateContact["properties"]) =>
  Object.keys(properties ?? {}).map((key) =>
    issue(["properties", key], "undefined_property", "is not a defined custom property")
  )

/** The suppression as the contact's status needs it: written, or still what the status was derived from. */
const keepSuppression = (
  projectId: ProjectId,
  address: string,
  noted: Suppression | undefined,
  standing: Suppression | null
): Change =>
  noted === undefined
    ? expectSuppression(projectId, address, standing)
    : { _tag: "PutSuppression", suppression: noted, replaces: standing?.revision ?? null }

/** The event of a move of the subscription, when its row emits one. */
export const subscriptionEvent = (
  row: SubscriptionRow | undefined,
  contact: Contact,
  id: EventId
): ReadonlyArray<Change> => {
  if (row?.emits === undefined) return []
  const { projectId, updatedAt: occurredAt } = contact
  return [
    {
      _tag: "AppendEvent",
      event: { id, projectId, occurredAt, kind: row.emits, data: { contact, reason: "unsubscribed" } }
    }
  ]
}

const phoneNumberOf = (text: string | undefined): string | null => (text === undefined || text === "" ? null : text)

export const createContact = (
  request: CreateContact,
  facts: ContactFacts & { readonly plan: Plan; readonly contactsUsed: number }
): Result.Result<Decision<Contact>, InvalidArgument | ContactEmailTaken | PlanLimitReached> => {
  const { now, ids, projectId, holder, suppression, plan, contactsUsed } = facts
  const issues = undefinedProperties(request.properties)
  if (issues.length > 0) return Result.fail(new InvalidArgument({ context: "body", issues }))
  if (holder !== null) return Result.fail(new ContactEmailTaken({ field: "email" }))
  if (!fits(plan.contacts, contactsUsed, 1))
    return Result.fail(new PlanLimitReached({ code: "contact_limit_exceeded" }))
  const { canonical } = parseAddress(request.email)!
  const contact: Contact = {
    id: idAt(ids, "con", 0),
    projectId,
    email: request.email.trim(),
    address: canonical,
    userId: request.userId ?? null,
    firstName: request.firstName ?? "",
    lastName: request.lastName ?? "",
    phoneNumber: phoneNumberOf(request.phoneNumber),
    emailStatus: subscriptionStep("none", "ContactCreated")!.to,
    source: "manual",
    createdAt: now,
    updatedAt: now,
    revision: 1
  }
  const lifted = withoutReason(suppression, "unsubscribed")
  return Result.succeed({
    answer: contact,
    changes: [
      keepSuppression(projectId, canonical, lifted, suppression),
      { _tag: "PutContact", contact, replaces: null },
      { _tag: "SpendCounter", projectId, name: "contacts", by: 1, max: plan.contacts }
    ]
  })
}

export interface UpdateFacts extends ContactFacts {
  /** The contact to update. */
  readonly contact: Contact | null
}

/** What the update asks of the subscription, given the address the contact will have. */
const triggerOf = (
  request: UpdateContact,
  contact: Contact,
  moved: boolean,
  suppression: Suppression | null
): SubscriptionRow["on"] | undefined => {
  if (request.emailStatus === "unsubscribed") return "UnsubscribeRequested"
  if (request.emailStatus === "subscribed") return "SubscribeRequested"
  // An unsubscribed contact takes the reason along; a subscribed one finds it at its new address.
  if (!moved) return undefined
  return contact.emailStatus === "unsubscribed" || suppression?.reasons.unsubscribed !== undefined
    ? "SuppressedAddressTaken"
    : undefined
}

export const updateContact = (
  contactId: string,
  request: UpdateContact,
  facts: UpdateFacts
): Result.Result<Decision<Contact>, InvalidArgument | ContactNotFound | ContactEmailTaken> => {
  const { now, ids, projectId, contact, holder, suppression } = facts
  const issues = undefinedProperties(request.properties)
  if (issues.length > 0) return Result.fail(new InvalidArgument({ context: "body", issues }))
  if (contact === null) return Result.fail(new ContactNotFound({ contactId }))
  if (holder !== null && holder.id !== contact.id) return Result.fail(new ContactEmailTaken({ field: "email" }))

  const { canonical } = parseAddress(request.email)!
  const trigger = triggerOf(request, contact, canonical !== contact.address, suppression)
  const row = trigger === undefined ? undefined : subscriptionStep(contact.emailStatus, trigger)
  const emailStatus = row?.to ?? contact.emailStatus
  const after: Contact = {
    ...contact,
    email: request.email.trim(),
    address: canonical,
    userId: request.userId === undefined ? contact.userId : request.userId,
    firstName: request.firstName ?? contact.firstName,
    lastName: request.lastName ?? contact.lastName,
    phoneNumber: request.phoneNumber === undefined ? contact.phoneNumber : phoneNumberOf(request.phoneNumber),
    emailStatus,
    updatedAt: now,
    revision: contact.revision + 1
  }
  const noted =
    emailStatus === "unsubscribed"
      ? withReason(projectId, canonical, suppression, "unsubscribed", now)
      : withoutReason(suppression, "unsubscribed")
  return Result.succeed({
    answer: after,
    changes: [
      keepSuppression(projectId, canonical, noted, suppression),
      { _tag: "PutContact", contact: after, replaces: contact.revision },
      ...subscriptionEvent(row, after, idAt(ids, "evt", 0))
    ]
  })
}
