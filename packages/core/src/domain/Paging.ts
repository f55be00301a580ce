/**
 * Pages: sizes, the filters of the delivery log, and the position in a listing.
 * Source: interface, List deliveries; decision 0011.
 */
import type { Delivery } from "./Delivery.ts"
import type { DeliveryStatus } from "./DeliveryTable.ts"
import type { Instant } from "./Instant.ts"
import type { Message } from "./Message.ts"

export const pageLimitMax = 100
export const pageLimitDefault = 50
export const cursorCharactersMax = 1024
export const searchCharactersMax = 255

/**
 * The number of deliveries that one filtered page examines. A page can therefore be short or empty and still have a next page.
 * The next page continues after the last examined delivery. Filters by recipient or contact use an index and rarely reach this bound.
 */
export const examinedMax = 10_000

/** The position of a record in the newest-first order. */
export interface Position {
  readonly createdAt: Instant
  readonly id: string
}

/** Compares two positions, newest first. */
export const newestFirst = (a: Position, b: Position): number =>
  b.createdAt - a.createdAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)

export interface LogFilters {
  readonly status: DeliveryStatus | null
  readonly source: string | null
  /** A canonical address. */
  readonly address: string | null
  readonly search: string | null
  readonly contactId: string | null
  readonly templateId: string | null
  readonly startDate: Instant | null
  readonly endDate: Instant | null
}

export const noLogFilters: LogFilters = {
  status: null,
  source: null,
  address: null,
  search: null,
  contactId: null,
  templateId: null,
  startDate: null,
  endDate: null
}

/** A page by its number, from 1. */
export interface PageRequest {
  readonly page: number
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

/** Tests the filters of the log that a store can evaluate with an index. */
export const logBoundsMatch = (
  { address, contactId, startDate, endDate }: LogFilters,
  delivery: Pick<Delivery, "address" | "contactId" | "createdAt">
): boolean =>
  (address === null || delivery.address === address) &&
  (contactId === null || delivery.contactId === contactId) &&
  (startDate === null || delivery.createdAt >= startDate) &&
  (endDate === null || delivery.createdAt <= endDate)

/** The fields of a message that the log examines. */
export type LoggedMessage = Pick<Message, "subject" | "templateId">

/** Tests the filters of the log that examine each delivery. */
export const logFiltersMatch = (
  { status, source, search, templateId }: LogFilters,
  delivery: Pick<Delivery, "id" | "messageId" | "recipient" | "source" | "status">,
  message: () => LoggedMessage
): boolean =>
  (status === null || delivery.status === status) &&
  (source === null || delivery.source === source) &&
  (templateId === null || message().templateId === templateId) &&
  (search === null ||
    delivery.id === search ||
    delivery.messageId === search ||
    caseFold(delivery.recipient).includes(caseFold(search)) ||
    caseFold(message().subject).includes(caseFold(search)))
