/**
 * The input of the methods of `DeliveryLog`, and its validation. Source: docs/spec/coverage.md S5; decision 0011.
 */
import { Result, Schema } from "effect"
import type { SendingSource } from "../access/ApiKey.ts"
import { addressPartOf, parseAddress } from "../message/Address.ts"
import type { CursorInput, CursorRequest } from "../store/Paging.ts"
import type { LogFilters } from "./LogFilters.ts"
import { pageLimitDefault } from "../store/Paging.ts"
import { cursorFields, cursorOrDefault, SearchText, TextOrNull } from "../store/PagingRequest.ts"
import type { Issue } from "../value/Issue.ts"
import { decoder } from "../value/Issue.ts"
import type { TimeInput } from "../value/Instant.ts"
import { wholeOf } from "../value/NumberRule.ts"
import { choiceOrNull } from "../value/TextRule.ts"
import { boundOrNull, timeBound } from "../value/TimeBound.ts"
import type { DeliveryStatus } from "./DeliveryStatus.ts"
import { deliveryStatuses } from "./DeliveryStatus.ts"

/** Which deliveries to list. A filter that is absent or `null` matches every delivery. */
export interface ListDeliveriesInput extends CursorInput {
  /** Only deliveries with this status. */
  readonly status?: DeliveryStatus | null | undefined
  /** The interface through which the message was sent. */
  readonly source?: SendingSource | (string & {}) | null | undefined
  /** The whole address. An invalid address matches no delivery. */
  readonly recipient?: string | null | undefined
  /**
   * A part of the recipient or of the subject in upper or lower case, or a complete delivery id or message id. A domain in Unicode finds the recipients with
   * its A-labels, by whole labels. At most 255 characters.
   */
  readonly search?: string | null | undefined
  /** Only deliveries to the address that this contact had when the message was accepted. */
  readonly contactId?: string | null | undefined
  /** Only deliveries of messages that were rendered from this template: its id, or its present alias. */
  readonly templateId?: string | null | undefined
  /** Deliveries created at this time or later. A text without a time, such as `2026-12-24`, means the start of the UTC day. */
  readonly startDate?: TimeInput | null | undefined
  /** Deliveries created at this time or earlier. A text without a time, such as `2026-12-24`, means the end of the UTC day. */
  readonly endDate?: TimeInput | null | undefined
}

/** Which events to list. */
export interface ListEventsInput {
  /** The id of the last event that is already known. Absent or `null`: from the oldest event. */
  readonly after?: string | null | undefined
  /** The largest number of events: 1 to 1,000. Default: 50. */
  readonly limit?: number | undefined
}

const decodeList = decoder(
  Schema.Struct({
    ...cursorFields,
    status: Schema.optionalKey(choiceOrNull(deliveryStatuses)),
    source: Schema.optionalKey(TextOrNull),
    recipient: Schema.optionalKey(TextOrNull),
    search: Schema.optionalKey(SearchText),
    contactId: Schema.optionalKey(TextOrNull),
    templateId: Schema.optionalKey(TextOrNull),
    startDate: timeBound("start"),
    endDate: timeBound("end")
  })
)

/** The filters for the store, and the page. */
export interface DeliveryListing extends CursorRequest {
  readonly filters: LogFilters
}

/** Validates the input of a listing. An empty search matches every delivery. */
export const parseListDeliveries = (input: unknown = {}): Result.Result<DeliveryListing, ReadonlyArray<Issue>> =>
  Result.map(decodeList(input), ({ recipient, search, ...valid }) => ({
    ...cursorOrDefault(valid),
    filters: {
      status: valid.status ?? null,
      source: valid.source ?? null,
      // An invalid address matches no delivery, so it is passed on unchanged.
      address: typeof recipient === "string" ? (parseAddress(recipient)?.canonical ?? recipient) : null,
      search: search === undefined || search === "" ? null : search,
      recipientPart: addressPartOf(search ?? null),
      contactId: valid.contactId ?? null,
      templateId: valid.templateId ?? null,
      startDate: boundOrNull(valid.startDate, "start"),
      endDate: boundOrNull(valid.endDate, "end")
    }
  }))

const eventsMax = 1000
const decodeEvents = decoder(
  Schema.Struct({ after: Schema.optionalKey(TextOrNull), limit: Schema.optionalKey(wholeOf(1, eventsMax)) })
)

/** Validates the input of a listing of events. */
export const parseListEvents = (
  input: unknown = {}
): Result.Result<{ readonly after: string | null; readonly limit: number }, ReadonlyArray<Issue>> =>
  Result.map(decodeEvents(input), ({ after = null, limit = pageLimitDefault }) => ({ after, limit }))
