/**
 * The compiled form of a segment's filter, which a store evaluates, and the filters of a contact listing.
 * `compileContactFilters` defines their meaning. A store compiles the filters once for each query.
 * The case of a constant is thus folded once, and not for each contact.
 */
import type { ContactRecord } from "./Contact.ts"
import type { ResourceId } from "../store/StoredResource.ts"
import { parseInstantOrDay } from "../value/Instant.ts"
import { caseFold, containsPart, foldedAddressParts, foldedParts } from "../store/textSearch.ts"
import type { PropertyValue } from "./Property.ts"
import type { EmailStatus } from "./EmailStatusTable.ts"

/** The right side of a comparison. A list is for `in` only. */
export type SegmentValue = string | number | ReadonlyArray<string | number>

/** The operators of a comparison, by the kind of the field. */
export const segmentOps = {
  text: ["eq", "ne", "contains", "starts_with", "ends_with", "in", "set", "unset"],
  number: ["eq", "ne", "lt", "lte", "gt", "gte", "in", "set", "unset"],
  date: ["before", "after", "set", "unset"]
} as const
/** An operator of a comparison. `segmentOps` has the operators of each kind of field. */
export type SegmentOp = (typeof segmentOps)[keyof typeof segmentOps][number]

/** The left side of a comparison: a field or a property. */
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
  /** `fallback` replaces the value for a contact without a value. */
  | { readonly property: ResourceId<"property">; readonly fallback: PropertyValue | null }

/** A test of a contact, as data. `compilePredicate` defines its meaning. */
export type ContactPredicate =
  /** Matches if all parts match. An empty list matches every contact. */
  | { readonly _tag: "All"; readonly of: ReadonlyArray<ContactPredicate> }
  /** Matches if at least one part matches. An empty list matches no contact. */
  | { readonly _tag: "Any"; readonly of: ReadonlyArray<ContactPredicate> }
  | { readonly _tag: "Not"; readonly of: ContactPredicate }
  | { readonly _tag: "OnList"; readonly listId: string }
  /** Compares texts case-folded and dates as instants. A missing value matches only `ne` and `unset`. */
  | {
      readonly _tag: "Compare"
      readonly kind: "text" | "number" | "date"
      readonly of: ComparedField
      readonly op: SegmentOp
      /** An instant if `kind` is `date`; `null` for `set` and `unset`. */
      readonly value: SegmentValue | null
    }

/** The filters of a contact listing. A filter that is `null` matches every contact. */
export interface ContactFilters {
  /** A part of the email, of a name, or of both names joined by a space. Ignores case. */
  readonly search: string | null
  /**
   * With `search`: also contacts whose email has this part, without regard to case. It is the search with its domain in A-labels, as an email has it.
   * `null` when `search` has only ASCII characters.
   */
  readonly emailPart: string | null
  /** Only contacts with this status. */
  readonly emailStatus: EmailStatus | null
  /** Only contacts on this list. */
  readonly listId: string | null
  /** Only contacts that match the predicate of a segment. */
  readonly segment: ContactPredicate | null
}

/** Filters that match every contact. */
export const noContactFilters: ContactFilters = {
  search: null,
  emailPart: null,
  emailStatus: null,
  listId: null,
  segment: null
}

/** Returns the instant of a date property. A date without a time means midnight UTC. */
const dateValueInstant = (value: PropertyValue | null): number | null => {
  if (value === null || typeof value === "number") return value
  return parseInstantOrDay(value, "start") ?? null
}

/** Folds the case of a text for a comparison. The two small forms of the Greek letter sigma are one letter, so that a part of a word has its form. */
const foldText = (text: string): string => caseFold(text).replaceAll("ς", "σ")

const fold = (value: string | number): string | number => (typeof value === "string" ? foldText(value) : value)

type Left = string | number | null
type ContactTest = (contact: ContactRecord) => boolean

const leftSide =
  (of: ComparedField, kind: "text" | "number" | "date") =>
  (contact: ContactRecord): Left => {
    const value = "field" in of ? contact[of.field] : (contact.properties[of.property] ?? of.fallback)
    if (value === null || (kind === "text" && value === "")) return null
    if (kind === "date") return dateValueInstant(value)
    return fold(value)
  }

/** Compiles a test of a case-folded left side; `null` means that there is no value. */
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

/** Returns the case-folded texts that a search examines: the email, and both names joined by a space. */
export const searchedTexts = ({
  email,
  firstName,
  lastName
}: Pick<ContactRecord, "email" | "firstName" | "lastName">): readonly [email: string, name: string] => [
  caseFold(email),
  caseFold(`${firstName} ${lastName}`)
]

/** Compiles a search into a test of the texts of one contact. */
const compileSearch = (search: string, emailPart: string | null): ContactTest => {
  const [emailParts, nameParts] = [foldedAddressParts(search, emailPart), foldedParts(search)]
  return (contact) => {
    const [email, name] = searchedTexts(contact)
    return containsPart(email, emailParts) || containsPart(name, nameParts)
  }
}

/** Compiles the filters of a listing into a test of one contact. */
export const compileContactFilters = ({
  search,
  emailPart,
  emailStatus,
  listId,
  segment
}: ContactFilters): ContactTest => {
  const isFound = search === null ? null : compileSearch(search, emailPart)
  const inSegment = segment === null ? null : compilePredicate(segment)
  return (contact) =>
    (emailStatus === null || contact.emailStatus === emailStatus) &&
    (listId === null || contact.listIds.includes(listId)) &&
    (isFound === null || isFound(contact)) &&
    (inSegment === null || inSegment(contact))
}
