/**
 * The filters of the delivery log, and which deliveries they match. Source: docs/spec/coverage.md S5; decisions 0011 and 0065.
 */
import type { Message } from "../message/Message.ts"
import { caseFold, containsPart, foldedAddressParts, foldedParts } from "../store/textSearch.ts"
import type { Instant } from "../value/Instant.ts"
import type { Delivery } from "./Delivery.ts"
import type { DeliveryStatus } from "./DeliveryStatus.ts"

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

/** The fields of a message that the filters and the search of the log examine. */
export type LogFilterMessage = Pick<Message, "subject" | "templateId">

/** Whether a search of the log finds the delivery: by an id, or by a part of the recipient or of the subject. */
const isFound = (
  search: string,
  recipientPart: string | null,
  delivery: Pick<Delivery, "id" | "messageId" | "recipient">,
  message: () => LogFilterMessage
): boolean => {
  if (delivery.id === search || delivery.messageId === search) return true
  return (
    containsPart(caseFold(delivery.recipient), foldedAddressParts(search, recipientPart)) ||
    containsPart(caseFold(message().subject), foldedParts(search))
  )
}

/** Tests the filters of the log that examine each delivery. */
export const logFiltersMatch = (
  { status, source, search, recipientPart, templateId }: LogFilters,
  delivery: Pick<Delivery, "id" | "messageId" | "recipient" | "source" | "status">,
  message: () => LogFilterMessage
): boolean =>
  (status === null || delivery.status === status) &&
  (source === null || delivery.source === source) &&
  (templateId === null || message().templateId === templateId) &&
  (search === null || isFound(search, recipientPart, delivery, message))
