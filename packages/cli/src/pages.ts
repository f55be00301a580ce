/**
 * Reads a listing over several pages.
 */
import type { Page, PageInput } from "@mailkeep/core"
import { pageLimitMax } from "@mailkeep/core/binding"
import { Effect } from "effect"

/** One page of a listing by cursor. The cursor is that of the next page, or `null` on the last one. */
interface CursorPage<A> {
  readonly items: ReadonlyArray<A>
  readonly nextCursor: string | null
}

/** The first `count` items of a listing by cursor, and whether it has more. */
export const firstItems = <A, E, R>(
  list: (page: { readonly limit: number; readonly cursor: string | null }) => Effect.Effect<CursorPage<A>, E, R>,
  count: number
) =>
  Effect.gen(function* () {
    const items: Array<A> = []
    let cursor: string | null = null
    do {
      const page: CursorPage<A> = yield* list({ limit: Math.min(pageLimitMax, count - items.length), cursor })
      items.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== null && items.length < count)
    return { items, hasMore: cursor !== null }
  })

/** All items of a listing with numbered pages. */
export const allItems = <A, E, R>(
  list: (page: PageInput) => Effect.Effect<Page<A>, E, R>
): Effect.Effect<ReadonlyArray<A>, E, R> =>
  Effect.gen(function* () {
    const items: Array<A> = []
    for (let page = 1; ; page++) {
      const { items: ofPage, total } = yield* list({ page, limit: pageLimitMax })
      items.push(...ofPage)
      if (ofPage.length === 0 || items.length >= total) return items
    }
  })
