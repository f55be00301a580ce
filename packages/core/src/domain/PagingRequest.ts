/**
 * Parses the page, the cursor and the filters of a listing request.
 */
import { Schema } from "effect"
import { deliveryStatuses } from "./DeliveryTable.ts"
import { decoder, says } from "./Issue.ts"
import { InstantMillis, wholeOf } from "./NumberRule.ts"
import { pageLimitMax, searchCharactersMax } from "./Paging.ts"
import { textOf } from "./TextRule.ts"

/** `null` means no filter. */
export const SearchText = Schema.NullOr(textOf({ max: searchCharactersMax })).annotate(
  says("invalid_type", "must be a string or null")
)
export const TextOrNull = Schema.NullOr(Schema.String).annotate(says("invalid_type", "must be a string or null"))

const limit = wholeOf(1, pageLimitMax)
export const parsePageRequest = decoder(Schema.Struct({ page: wholeOf(1, Number.MAX_SAFE_INTEGER), limit }))
export const parseCursorRequest = decoder(Schema.Struct({ limit, cursor: TextOrNull }))
export const parseSearch = decoder(Schema.Struct({ search: SearchText }))

const eventsMax = 1000
export const parseEventsRequest = decoder(Schema.Struct({ after: TextOrNull, limit: wholeOf(1, eventsMax) }))

const InstantOrNull = Schema.NullOr(InstantMillis).annotate(says("invalid_type", "must be a number or null"))

export const parseLogFilters = decoder(
  Schema.Struct({
    status: Schema.NullOr(Schema.Literals(deliveryStatuses)).annotate(
      says("invalid_value", `must be null or one of ${deliveryStatuses.join(", ")}`)
    ),
    source: TextOrNull,
    address: TextOrNull,
    search: SearchText,
    contactId: TextOrNull,
    templateId: TextOrNull,
    startDate: InstantOrNull,
    endDate: InstantOrNull
  })
)
