/**
 * Converts contacts, lists, properties, segments and suppressions to the wire format.
 */
import type { Contact, ContactDetail, ContactList, Property, Segment, Suppression } from "@mailkeep/core"
import { formatInstant } from "@mailkeep/core"
import { contactFields } from "@mailkeep/core/binding"
import type { ListBody, PropertyBody, SegmentBody } from "../api/ContactGroups.ts"
import type { ContactBody, ContactDetailBody, ContactSummaryBody } from "../api/Contacts.ts"
import type { SuppressionBody } from "../api/Suppressions.ts"
import { timesView } from "./timesView.ts"

export const contactSummaryView = (contact: Contact): typeof ContactSummaryBody.Type => ({
  id: contact.id,
  email: contact.email,
  first_name: contact.firstName,
  last_name: contact.lastName,
  phone_number: contact.phoneNumber,
  email_status: contact.emailStatus,
  created_at: formatInstant(contact.createdAt)
})

export const contactView: (contact: Contact) => typeof ContactBody.Type = contactFields

export const contactDetailView = (contact: ContactDetail): typeof ContactDetailBody.Type => ({
  ...contactView(contact),
  properties: contact.properties,
  unsubscribed: contact.emailStatus === "unsubscribed",
  email_delivery_block_reason: contact.blockReason
})

export const propertyView = (property: Property): typeof PropertyBody.Type => ({
  id: property.id,
  key: property.key,
  type: property.type,
  fallback_value: property.fallbackValue,
  ...timesView(property)
})

export const listView = (list: ContactList): typeof ListBody.Type => ({
  id: list.id,
  name: list.name,
  description: list.description,
  contact_count: list.contactCount,
  ...timesView(list)
})

export const segmentView = (segment: Segment): typeof SegmentBody.Type => ({
  id: segment.id,
  name: segment.name,
  filter: segment.filter as typeof SegmentBody.Type.filter,
  ...timesView(segment)
})

/** The suppression of an address that gets no mail now. */
export const suppressionView = ({ email, reason, reasons }: Suppression): typeof SuppressionBody.Type => ({
  email,
  reason: reason!,
  reasons: reasons.map(({ reason, since }) => ({ reason, since: formatInstant(since) }))
})
