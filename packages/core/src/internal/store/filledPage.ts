/**
 * Fills a page of a listing whose filters no index supports: reads on until the page is full, the listing ends, or the time limit is reached. The
 * next page continues after the last record that was examined. Source: decision 0065.
 */
import { Effect } from "effect"
import type { ProjectId } from "../../domain/access/Project.ts"
import { secondMillis } from "../../domain/value/Instant.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { boundedWorkByKey } from "../boundedWork.ts"
import { monotonicMillis } from "../worker/moment.ts"

/** No read of a page begins later than this after the first one. */
export const fillMillisMax = secondMillis

/** So many pages of a project read on at the same time. Another page ends with its first read, so that the reads of other projects wait less. */
export const fillsMax = 4

/** What one read of a listing finds. `next` is the position after which the next read continues; `null` at the end of the listing. */
interface ListingPart<A, P> {
  readonly items: ReadonlyArray<A>
  readonly next: P | null
}

/** Examines records after a position, and returns at most `limit` that match. */
export type ReadPart<A, P> = (after: P | null, limit: number) => Effect.Effect<ListingPart<A, P>, StoreUnavailable>

/** Makes the function that fills pages. The page ends early when the project or the store has too many reads under way. */
export const makePageFiller = () => {
  const withPermit = boundedWorkByKey({ atOnce: fillsMax, waitingMax: 0 })
  return <A, P>(
    projectId: ProjectId,
    { after, limit }: { readonly after: P | null; readonly limit: number },
    read: ReadPart<A, P>
  ): Effect.Effect<ListingPart<A, P>, StoreUnavailable> =>
    Effect.gen(function* () {
      const begin = yield* monotonicMillis
      const isInTime = Effect.map(monotonicMillis, (now) => now - begin < fillMillisMax)
      let page = yield* read(after, limit)
      const readOn = Effect.gen(function* () {
        while (page.next !== null && page.items.length < limit && (yield* isInTime)) {
          const part: ListingPart<A, P> = yield* read(page.next, limit - page.items.length)
          page = { items: [...page.items, ...part.items], next: part.next }
          // A store that answers on the thread of the caller would otherwise block its event loop for the whole time.
          yield* Effect.yieldNow
        }
      })
      if (page.next !== null && page.items.length < limit)
        yield* Effect.catchIf(
          withPermit(projectId, readOn),
          ({ reason }) => reason === "overloaded",
          () => Effect.void
        )
      return page
    })
}
