/**
 * Pages: sizes, the filters of the delivery log, and the position in a listing.
 * Source: docs/spec/coverage.md S5; decision 0011.
 */
import type { Delivery } from "../delivery/Delivery.ts"
import type { DeliveryStatus } from "../delivery/DeliveryStatus.ts"
import type { Instant } from "../value/Instant.ts"
import type { Message } from "../message/Message.ts"

/** The largest number of items of a page. */
export const pageLimitMax = 100
/** The number of items of a page that asks for no other number. */
export const pageLimitDefault = 50
/** The maximum length of a cursor. */
export const cursorCharactersMax = 1024
/** The maximum length of a search text. */
export const searchCharactersMax = 255

/** The number of records that one read of a filtered page examines. A page needs several reads when few records match. */
export const examinedMax = 10_000

/** The position of a record in the newest-first order. */
export interface Position {
  readonly createdAt: Instant
  readonly id: string
}

/** Compares two positions, newest first. */
export const newestFirst = (a: Position, b: Position): number =>
  b.createdAt - a.createdAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)

/** The filters of the delivery log. A filter that is `null` matches every delivery. */
export interface LogFilters {
  /** Only deliveries with this status. */
  readonly status: DeliveryStatus | null
  /** The channel through which the message was sent: `api`, `smtp` or `embedded`. */
  readonly source: string | null
  /** A canonical address. */
  readonly address: string | null
  /** A part of the recipient or the subject without regard to case, or a complete id of a delivery or a message. */
  readonly search: string | null
  /**
   * With `search`: also deliveries whose recipient has this part, without regard to case. It is the search with its domain in A-labels, as a recipient
   * has it. `null` when `search` has only ASCII characters.
   */
  readonly recipientPart: string | null
  /** Only deliveries to an address that this contact had at acceptance. */
  readonly contactId: string | null
  /** Only deliveries of messages that were rendered from this template. */
  readonly templateId: string | null
  /** Only deliveries created at this instant or later. */
  readonly startDate: Instant | null
  /** Only deliveries created at this instant or earlier. */
  readonly endDate: Instant | null
}

/** Filters that match every delivery. */
export const noLogFilters: LogFilters = {
  status: null,
  source: null,
  address: null,
  search: null,
  recipientPart: null,
  contactId: null,
  templateId: null,
  startDate: null,
  endDate: null
}

/** Which page of a listing by page number to return. */
export interface PageInput {
  /** The number of the page, from 1. Default: 1. */
  readonly page?: number | undefined
  /** The largest number of items of the page: 1 to 100. Default: 50. */
  readonly limit?: number | undefined
}

/** Which page of a listing with cursors to return. */
export interface CursorInput {
  /** The largest number of items of the page: 1 to 100. Default: 50. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the previous page. Absent or `null`: the first page. */
  readonly cursor?: string | null | undefined
}

/** A page by its number, from 1. */
export interface PageRequest {
  /** From 1. */
  readonly page: number
  /** The largest number of items of the page. */
  readonly limit: number
}

/** A page of a listing with cursors; `null` means the first page. */
export interface CursorRequest {
  readonly limit: number
  readonly cursor: string | null
}

/** A page of a collection with the total number of matches. */
export interface Page<A> extends PageRequest {
  readonly items: ReadonlyArray<A>
  readonly total: number
}

/** A page of a listing with cursors. A page of a slow filter may be short or empty although `hasMore` is `true`. */
export interface CursorPage<A> {
  readonly items: ReadonlyArray<A>
  /** The largest number of items that the page could have. */
  readonly limit: number
  readonly hasMore: boolean
  /** Give this cursor to get the next page; `null` on the last page. */
  readonly nextCursor: string | null
}

/** Returns one page of the matching records, and their total number. */
export const pageOf = <A>(
  matching: ReadonlyArray<A>,
  { page, limit }: PageRequest
): Omit<Page<A>, keyof PageRequest> => ({
  items: matching.slice((page - 1) * limit, page * limit),
  total: matching.length
})

/** Folds the case of a text for searches. Every store uses this function, because databases differ in their lower case. */
export const caseFold = (text: string): string => text.toLowerCase()

/**
 * The case-folded texts of which a searched text contains one if it contains the part: one text, except for a part with the Greek letter sigma. A capital
 * sigma at the end of a word becomes another small letter than within a word. The part does not show which letters come before and after it.
 */
export const foldedParts = (part: string): ReadonlyArray<string> => {
  if (!/[Σσς]/.test(part)) return [caseFold(part)]
  const capital = part.replace(/[σς]/g, "Σ")
  const forms = ["", "a"].flatMap((before) =>
    ["", "a"].map((after) => caseFold(before + capital + after).slice(before.length, -after.length || undefined))
  )
  return [...new Set(forms)]
}

/** Whether a case-folded text contains one of the `foldedParts` of a part. */
export const containsPart = (foldedText: string, parts: ReadonlyArray<string>): boolean =>
  parts.some((part) => foldedText.includes(part))

/**
 * The statuses that an index finds in the log. Mail that is sent at once and accepted never has one of them, except `sending`, whose deliveries
 * are few. Source: decision 0065.
 */
export const indexedStatuses = [
  "scheduled",
  "canceled",
  "sending",
  "bounced",
  "complained",
  "failed",
  "suppressed"
] as const satisfies ReadonlyArray<DeliveryStatus>
/** A status that an index finds in the log. */
export type IndexedStatus = (typeof indexedStatuses)[number]

/**
 * Returns the status by whose index a store finds the deliveries. Returns `null` if the filters have a recipient or a contact, or no status with
 * an index.
 */
export const indexedStatusOf = ({ status, address, contactId }: LogFilters): IndexedStatus | null =>
  address === null && contactId === null ? (indexedStatuses.find((indexed) => indexed === status) ?? null) : null

/** Tests the filters of the log that a store evaluates with an index. */
export const logBoundsMatch = (
  filters: LogFilters,
  delivery: Pick<Delivery, "address" | "contactId" | "createdAt" | "status">
): boolean => {
  const { address, contactId, startDate, endDate } = filters
  const status = indexedStatusOf(filters)
  return (
    (address === null || delivery.address === address) &&
    (contactId === null || delivery.contactId === contactId) &&
    (status === null || delivery.status === status) &&
    (startDate === null || delivery.createdAt >= startDate) &&
    (endDate === null || delivery.createdAt <= endDate)
  )
}

/** The fields of a message that the log examines. */
export type LoggedMessage = Pick<Message, "subject" | "templateId">

/** The case-folded texts of which a recipient contains one if a search of the log finds the recipient. */
export const foldedRecipientParts = (search: string, recipientPart: string | null): ReadonlyArray<string> =>
  recipientPart === null ? foldedParts(search) : [...foldedParts(search), ...foldedParts(recipientPart)]

/** Whether a search of the log finds the delivery: by an id, or by a part of the recipient or of the subject. */
const isFound = (
  search: string,
  recipientPart: string | null,
  delivery: Pick<Delivery, "id" | "messageId" | "recipient">,
  message: () => LoggedMessage
): boolean => {
  if (delivery.id === search || delivery.messageId === search) return true
  return (
    containsPart(caseFold(delivery.recipient), foldedRecipientParts(search, recipientPart)) ||
    containsPart(caseFold(message().subject), foldedParts(search))
  )
}

/** Tests the filters of the log that examine each delivery. */
export const logFiltersMatch = (
  { status, source, search, recipientPart, templateId }: LogFilters,
  delivery: Pick<Delivery, "id" | "messageId" | "recipient" | "source" | "status">,
  message: () => LoggedMessage
): boolean =>
  (status === null || delivery.status === status) &&
  (source === null || delivery.source === source) &&
  (templateId === null || message().templateId === templateId) &&
  (search === null || isFound(search, recipientPart, delivery, message))
