/**
 * A segment's filter in the form that a store evaluates, and the filters of a contact listing. `contactFiltersMatch` is what they mean.
 */
import type { Contact } from "./Contact.ts"
import type { DefinitionId } from "./Definition.ts"
import { parseInstantOrDay } from "./Instant.ts"
import { folded } from "./Paging.ts"
import type { PropertyValue } from "./Property.ts"
import type { EmailStatus } from "./SubscriptionTable.ts"
import type { SegmentOp, SegmentValue } from "./Segment.ts"

/** Where a comparison finds its left side. */
export type ComparedField =
  | {
      readonly field:
        | "email"
        | "firstName"
        | "lastName"
        | "phoneNumber"
        | "userId"
        | "emailStatus"
        | "source"
        | "createdAt"
        | "updatedAt"
    }
  /** `fallback` stands in for the value of a contact that has none. */
  | { readonly property: DefinitionId<"property">; readonly fallback: PropertyValue | null }

export type ContactPredicate =
  /** Nothing to fulfil: everybody. */
  | { readonly _tag: "All"; readonly of: ReadonlyArray<ContactPredicate> }
  /** Nothing to choose from: nobody. */
  | { readonly _tag: "Any"; readonly of: ReadonlyArray<ContactPredicate> }
  | { readonly _tag: "Not"; readonly of: ContactPredicate }
  | { readonly _tag: "OnList"; readonly listId: string }
  /** Texts are compared folded. Dates are compared as instants. What has no value fulfils `ne` and `unset` alone. */
  | {
      readonly _tag: "Compare"
      readonly kind: "text" | "number" | "date"
      readonly of: ComparedField
      readonly op: SegmentOp
      /** An instant for a date; `null` for `set` and `unset`. */
      readonly value: SegmentValue | null
    }

export interface ContactFilters {
  readonly search: string | null
  readonly emailStatus: EmailStatus | null
  readonly listId: string | null
  readonly segment: ContactPredicate | null
}

export const noContactFilters: ContactFilters = { search: null, emailStatus: null, listId: null, segment: null }

/** The instant of a date property: midnight UTC of a full-date. */
export const dateValueInstant = (value: PropertyValue | null): number | null => {
  if (value === null || typeof value === "number") return value
  return parseInstantOrDay(value, "start") ?? null
}

const leftSide = (of: ComparedField, kind: "text" | "number" | "date", contact: Contact): string | number | null => {
  const value = "field" in of ? contact[of.field] : (contact.properties[of.property] ?? of.fallback)
  if (value === null || (kind === "text" && value === "")) return null
  if (kind === "date") return dateValueInstant(value)
  return typeof value === "string" ? folded(value) : value
}

/** Whether a comparison holds of a left side that is folded already; `null` is no value. */
export const compare = (op: SegmentOp, left: string | number | null, value: SegmentValue | null): boolean => {
  if (op === "set") return left !== null
  if (op === "unset") return left === null
  const fold = (one: string | number) => (typeof one === "string" ? folded(one) : one)
  if (op === "in") return left !== null && (value as ReadonlyArray<string | number>).some((one) => fold(one) === left)
  const right = fold(value as string | number)
  if (op === "ne") return left !== right
  if (left === null) return false
  switch (op) {
    case "eq":
      return left === right
    case "lt":
    case "before":
      return left < right
    case "lte":
      return left <= right
    case "gt":
      return left > right
    case "gte":
      return left >= right
    case "after":
      return left > right
    case "contains":
      return String(left).includes(String(right))
    case "starts_with":
      return String(left).startsWith(String(right))
    case "ends_with":
      return String(left).endsWith(String(right))
  }
}

export const predicateMatches = (predicate: ContactPredicate, contact: Contact): boolean => {
  switch (predicate._tag) {
    case "All":
      return predicate.of.every((part) => predicateMatches(part, contact))
    case "Any":
      return predicate.of.some((part) => predicateMatches(part, contact))
    case "Not":
      return !predicateMatches(predicate.of, contact)
    case "OnList":
      return contact.listIds.includes(predicate.listId)
    case "Compare":
      return compare(predicate.op, leftSide(predicate.of, predicate.kind, contact), predicate.value)
  }
}

/** The texts that a search looks into, folded: the address as given, and both names with a space between. */
export const searchedTexts = ({
  email,
  firstName,
  lastName
}: Pick<Contact, "email" | "firstName" | "lastName">): readonly [email: string, name: string] => [
  folded(email),
  folded(`${firstName} ${lastName}`)
]

export const contactFiltersMatch = (
  { search, emailStatus, listId, segment }: ContactFilters,
  contact: Contact
): boolean =>
  (emailStatus === null || contact.emailStatus === emailStatus) &&
  (listId === null || contact.listIds.includes(listId)) &&
  (search === null || searchedTexts(contact).some((text) => text.includes(folded(search)))) &&
  (segment === null || predicateMatches(segment, contact))
