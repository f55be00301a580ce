/**
 * A segment's filter in the form that a store evaluates, and the filters of a contact listing. `compileContactFilters` defines their
 * meaning: a store compiles once for each query, so that a constant is folded once and not once for each contact.
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

type Left = string | number | null
type ContactTest = (contact: Contact) => boolean

const leftSide =
  (of: ComparedField, kind: "text" | "number" | "date") =>
  (contact: Contact): Left => {
    const value = "field" in of ? contact[of.field] : (contact.properties[of.property] ?? of.fallback)
    if (value === null || (kind === "text" && value === "")) return null
    if (kind === "date") return dateValueInstant(value)
    return typeof value === "string" ? folded(value) : value
  }

const fold = (value: string | number): string | number => (typeof value === "string" ? folded(value) : value)

/** Tests a folded left side; `null` is no value. */
const compileOp = (op: SegmentOp, value: SegmentValue | null): ((left: Left) => boolean) => {
  if (op === "set") return (left) => left !== null
  if (op === "unset") return (left) => left === null
  if (op === "in") {
    const choices = new Set((value as ReadonlyArray<string | number>).map(fold))
    return (left) => left !== null && choices.has(left)
  }
  const right = fold(value as string | number)
  const text = String(right)
  switch (op) {
    case "eq":
      return (left) => left === right
    case "ne":
      return (left) => left !== right
    case "lt":
    case "before":
      return (left) => left !== null && left < right
    case "lte":
      return (left) => left !== null && left <= right
    case "gt":
    case "after":
      return (left) => left !== null && left > right
    case "gte":
      return (left) => left !== null && left >= right
    case "contains":
      return (left) => left !== null && String(left).includes(text)
    case "starts_with":
      return (left) => left !== null && String(left).startsWith(text)
    case "ends_with":
      return (left) => left !== null && String(left).endsWith(text)
  }
}

/** Compiles a predicate into a test of one contact. */
export const compilePredicate = (predicate: ContactPredicate): ContactTest => {
  switch (predicate._tag) {
    case "All": {
      const tests = predicate.of.map(compilePredicate)
      return (contact) => tests.every((test) => test(contact))
    }
    case "Any": {
      const tests = predicate.of.map(compilePredicate)
      return (contact) => tests.some((test) => test(contact))
    }
    case "Not": {
      const test = compilePredicate(predicate.of)
      return (contact) => !test(contact)
    }
    case "OnList":
      return ({ listIds }) => listIds.includes(predicate.listId)
    case "Compare": {
      const left = leftSide(predicate.of, predicate.kind)
      const test = compileOp(predicate.op, predicate.value)
      return (contact) => test(left(contact))
    }
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

/** Compiles the filters of a listing into a test of one contact. */
export const compileContactFilters = ({ search, emailStatus, listId, segment }: ContactFilters): ContactTest => {
  const part = search === null ? null : folded(search)
  const inSegment = segment === null ? null : compilePredicate(segment)
  return (contact) =>
    (emailStatus === null || contact.emailStatus === emailStatus) &&
    (listId === null || contact.listIds.includes(listId)) &&
    (part === null || searchedTexts(contact).some((text) => text.includes(part))) &&
    (inSegment === null || inSegment(contact))
}
