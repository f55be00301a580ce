/**
 * Scans contacts for filters that no index supports. A scan is split into pieces, so that no query of the store is long. Each project
 * has few scans at once.
 */
import { Effect } from "effect"
import type { ContactRecord } from "../domain/contact/Contact.ts"
import type { ContactFilters } from "../domain/contact/ContactPredicate.ts"
import { ContactFilterTooSlow } from "../domain/contact/ContactFailure.ts"
import { secondMillis } from "../domain/value/Instant.ts"
import type { Page, PageRequest, Position } from "../domain/store/Paging.ts"
import type { ProjectId } from "../domain/access/Project.ts"
import type { ContactScan } from "../domain/store/Query.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import { boundedWorkByKey } from "./boundedWork.ts"
import { monotonicMillis } from "./moment.ts"

/** How many contacts one query reads: a few milliseconds of work for the store, about 10 ms with the largest filter. */
const scanLimit = 2_000

/** How long the search for a page may take, including the wait for other scans of the project. */
export const scanMillisMax = 5 * secondMillis

/** One scan of a project runs at a time, and at most so many wait. */
const scanBound = { atOnce: 1, waitingMax: 7 }

export interface ContactScanner {
  /** One page of the matching contacts, and their total. Pieces are read one after another, so the total may be older than an item. */
  readonly page: (
    projectId: ProjectId,
    filters: ContactFilters,
    page: PageRequest
  ) => Effect.Effect<Page<ContactRecord>, ContactFilterTooSlow | StoreUnavailable>
  /** One piece of the scan, for a caller that reads the next piece itself. */
  readonly piece: (
    projectId: ProjectId,
    filters: ContactFilters,
    after: Position | null
  ) => Effect.Effect<ContactScan, StoreUnavailable>
}

export const makeContactScanner = (store: MailStoreShape): ContactScanner => {
  const withPermit = boundedWorkByKey(scanBound)

  const pieces = Effect.fnUntraced(function* (
    projectId: ProjectId,
    filters: ContactFilters,
    page: PageRequest,
    deadlineMillis: number
  ): Effect.fn.Return<Page<ContactRecord>, ContactFilterTooSlow | StoreUnavailable> {
    const items: Array<ContactRecord> = []
    let total = 0
    let after: Position | null = null
    const first = Math.min(Number.MAX_SAFE_INTEGER, (page.page - 1) * page.limit)
    do {
      if ((yield* monotonicMillis) >= deadlineMillis) return yield* new ContactFilterTooSlow({ millis: scanMillisMax })
      const skip = Math.max(0, first - total)
      const [piece]: readonly [ContactScan] = yield* store.read([
        { _tag: "ContactScan", projectId, filters, after, skip, limit: page.limit - items.length, scanLimit }
      ])
      items.push(...piece.items)
      total += piece.matches
      after = piece.next
    } while (after !== null)
    return { items, total, ...page }
  })

  return {
    page: (projectId, filters, page) =>
      Effect.flatMap(monotonicMillis, (now) =>
        withPermit(projectId, pieces(projectId, filters, page, now + scanMillisMax))
      ),
    piece: (projectId, filters, after) =>
      Effect.map(
        store.read([{ _tag: "ContactScan", projectId, filters, after, skip: 0, limit: scanLimit, scanLimit }]),
        // A store with an index may examine more than the limits, and then finds more matches than it lists.
        ([piece]) => (piece.matches > piece.items.length ? { ...piece, next: piece.items.at(-1)! } : piece)
      )
  }
}
