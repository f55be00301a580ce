/**
 * Lists of any length as async iterables. Each `for await` reads from the beginning, page by page.
 */
import type { CursorPage, Page } from "../domain/store/Paging.ts"
import { isRecord } from "../domain/value/Fields.ts"

/** The largest page of the interface. */
const pageSize = 100

/** The number of ids that are remembered, so that a record that moves to another page meanwhile is emitted once. */
const emittedMax = 10_000
/** The number of positions by which a record moves at most, so that no page with a forgotten id is read again. */
const movedMax = emittedMax - pageSize

/** Remembers the latest ids. `add` returns whether the id is new. */
const latestIds = () => {
  const ids = new Set<string>()
  return {
    add: (id: string): boolean => {
      if (ids.has(id)) return false
      ids.add(id)
      if (ids.size > emittedMax) ids.delete(ids.values().next().value!)
      return true
    }
  }
}

/** The filters of a list with the page to read. Filters of another form, such as a `Map`, stay as they are, so that the list refuses them. */
const withPage = <F extends object, P extends object>(filter: F | undefined, page: P): F & P =>
  filter === undefined || isRecord(filter) ? ({ ...filter, ...page } as F & P) : (filter as F & P)

/**
 * Iterates over the records that match a filter, by pages with a number. When records were deleted since the last page, such as by the loop itself, later records have moved to earlier
 * pages. These are then read again, so that no record is left out.
 */
export const eachOfPages = <A extends { readonly id: string }, F extends object = {}>(
  read: (input: F & { readonly page: number; readonly limit: number }) => Promise<Page<A>>,
  filter?: F
): AsyncIterable<A> => ({
  async *[Symbol.asyncIterator]() {
    const emitted = latestIds()
    let knownTotal = 0
    // Positions in the list: each record before `done` was emitted, and each one of `ahead`.
    let done = 0
    let ahead = { from: 0, to: 0 }
    while (true) {
      const page = Math.floor(done / pageSize) + 1
      const { items, total } = await read(withPage(filter, { page, limit: pageSize }))
      // A record has moved by at most so many positions.
      const deleted = Math.min(Math.max(0, knownTotal - total), movedMax)
      knownTotal = total
      done = Math.max(0, done - deleted)
      ahead = { from: ahead.from, to: ahead.to - deleted }
      for (const item of items) if (emitted.add(item.id)) yield item
      const start = (page - 1) * pageSize
      const end = start + items.length
      if (start > done) {
        ahead = { from: start, to: end }
        continue
      }
      if (items.length < pageSize) return
      done = Math.max(done, end)
      if (ahead.from <= done) done = Math.max(done, ahead.to)
    }
  }
})

/** Iterates over the records that match a filter, by pages with a cursor, in the order of the pages. Ends with an error when a page names itself as the next one. */
export const eachOfCursors = <A, F extends object = {}>(
  read: (input: F & { readonly cursor: string | null; readonly limit: number }) => Promise<CursorPage<A>>,
  filter?: F
): AsyncIterable<A> => ({
  async *[Symbol.asyncIterator]() {
    for (let cursor: string | null = null; ;) {
      const page: CursorPage<A> = await read(withPage(filter, { cursor, limit: pageSize }))
      yield* page.items
      if (page.nextCursor === null) return
      if (page.nextCursor === cursor)
        throw new Error("The list does not end: a page has its own cursor as the next one.")
      cursor = page.nextCursor
    }
  }
})
