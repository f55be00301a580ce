/**
 * Parses the page and the cursor of a listing request, and adds the defaults.
 */
import { Result, Schema } from "effect"
import { decoder, says } from "../value/Issue.ts"
import { wholeOf } from "../value/NumberRule.ts"
import type { CursorInput, CursorRequest, PageInput, PageRequest } from "./Paging.ts"
import { pageLimitDefault, pageLimitMax, searchCharactersMax } from "./Paging.ts"
import { textOf } from "../value/TextRule.ts"

/** `null` means no filter. */
export const SearchText = Schema.NullOr(textOf({ max: searchCharactersMax })).annotate(
  says("invalid_type", "must be a string or null")
)
export const TextOrNull = Schema.NullOr(Schema.String).annotate(says("invalid_type", "must be a string or null"))

const limit = wholeOf(1, pageLimitMax)

/** The fields of a listing by page number, for the schema of a listing with filters. */
export const pageFields = {
  page: Schema.optionalKey(wholeOf(1, Number.MAX_SAFE_INTEGER)),
  limit: Schema.optionalKey(limit)
}

/** The fields of a listing with cursors, for the schema of a listing with filters. */
export const cursorFields = { limit: Schema.optionalKey(limit), cursor: Schema.optionalKey(TextOrNull) }

/** Adds the defaults of a page by its number. */
export const pageOrDefault = ({ page, limit }: PageInput): PageRequest => ({
  page: page ?? 1,
  limit: limit ?? pageLimitDefault
})

/** Adds the defaults of a page with a cursor. */
export const cursorOrDefault = ({ limit, cursor }: CursorInput): CursorRequest => ({
  limit: limit ?? pageLimitDefault,
  cursor: cursor ?? null
})

const decodePage = decoder(Schema.Struct(pageFields))
const decodeCursor = decoder(Schema.Struct(cursorFields))

/** Parses a page by its number. Absent fields get their defaults. */
export const parsePageRequest = (input: unknown = {}) => Result.map(decodePage(input), pageOrDefault)
/** Parses a page with a cursor. Absent fields get their defaults. */
export const parseCursorRequest = (input: unknown = {}) => Result.map(decodeCursor(input), cursorOrDefault)
