/**
 * Reads a listing over several pages.
 */
import { pageLimitMax } from "@mailkeep/core/binding"
import { Effect } from "effect"

/** One page of a listing. The cursor is that of the next page, or `null` on the last one. */
interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly nextCursor: string | null
}

/** The first `count` items of a listing, and whether it has more. */
export const firstItems = <A, E, R>(
  list: (page: { readonly limit: number; readonly cursor: string | null }) => Effect.Effect<Page<A>, E, R>,
  count: number
) =>
  Effect.gen(function* () {
    const items: Array<A> = []
    let cursor: string | null = null
    do {
      const page: Page<A> = yield* list({ limit: Math.min(pageLimitMax, count - items.length), cursor })
      items.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== null && items.length < count)
    return { items, hasMore: cursor !== null }
  })
