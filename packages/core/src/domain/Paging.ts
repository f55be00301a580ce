/**
 * Pages: their sizes, the filters of the delivery log, and the place in a walk.
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
 * How many deliveries one filtered page looks at. A page may therefore be short, or empty, and still have more: the walk goes
 * on from the last delivery looked at. Filters by recipient and by contact are seeks and never meet this bound in practice.
 */
export const examinedMax = 10_000

/** The place of a delivery in the newest-first order. */
export interface Position {
  readonly createdAt: Instant
  readonly id: string
}

/** Newest first. */
export const newestFirst = (a: Position, b: Position): number =>
  b.createdAt - a.createdAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)

export interface LogFilters {
  readonly status: DeliveryStatus | null
  readonly source: string | null
  /** Canonical. */
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

/** From 1. */
export interface PageRequest {
  readonly page: number
  readonly limit: number
}

/** A page of a listing that is walked by cursor; `null` begins. */
export interface CursorRequest {
  readonly limit: number
  readonly cursor: string | null
}

/** A page of a collection with the number of all that match. */
export interface Page<A> extends PageRequest {
  readonly items: ReadonlyArray<A>
  readonly total: number
}

/** The page of those that match, and how many they are. */
export const pageOf = <A>(
  matching: ReadonlyArray<A>,
  { page, limit }: PageRequest
): Omit<Page<A>, keyof PageRequest> => ({
  items: matching.slice((page - 1) * limit, page * limit),
  total: matching.length
})

/** The form in which text is searched, the same in every store: databases differ in what they call lower case. */
export const folded = (text: string): string => text.toLowerCase()

/** The part of the log's filters that bounds the walk, so that a store may seek by it. */
export const logBoundsMatch = (
  { address, contactId, startDate, endDate }: LogFilters,
  delivery: Pick<Delivery, "address" | "contactId" | "createdAt">
): boolean =>
  (address === null || delivery.address === address) &&
  (contactId === null || delivery.contactId === contactId) &&
  (startDate === null || delivery.createdAt >= startDate) &&
  (endDate === null || delivery.createdAt <= endDate)

/** What the log looks at of a delivery's message. */
export type LoggedMessage = Pick<Message, "subject" | "templateId">

/** The part that is looked at delivery by delivery. */
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
    folded(delivery.recipient).includes(folded(search)) ||
    folded(message().subject).includes(folded(search)))
