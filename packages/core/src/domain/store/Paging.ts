/**
 * Pages: their sizes, how a caller asks for one, and the position of a record in a listing. Source: docs/spec/coverage.md S5; decision 0011.
 */
import type { Instant } from "../value/Instant.ts"

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
