/**
 * Reads all items of a listing page by page.
 */
import type { Page, PageInput } from "@mailkeep/core"
import { pageLimitMax } from "@mailkeep/core/binding"
import { Effect } from "effect"

export const walkPages = <A, E, R>(
  pageOf: (page: PageInput) => Effect.Effect<Page<A>, E, R>
): Effect.Effect<ReadonlyArray<A>, E, R> =>
  Effect.gen(function* () {
    const found: Array<A> = []
    for (let page = 1; ; page++) {
      const { items, total } = yield* pageOf({ page, limit: pageLimitMax })
      found.push(...items)
      if (items.length === 0 || found.length >= total) return found
    }
  })
