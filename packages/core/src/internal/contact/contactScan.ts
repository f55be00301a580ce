/**
 * Scans contacts for filters that no index supports. A scan is split into pieces, so that no query of the store is long. Each project
 * has few scans at once.
 */
import { Effect } from "effect"
import type { ContactRecord } from "../../domain/contact/Contact.ts"
import type { ContactFilters } from "../../domain/contact/ContactPredicate.ts"
import { ContactFilterTooSlow } from "../../domain/contact/ContactFailure.ts"
import { secondMillis } from "../../domain/value/Instant.ts"
import type { Page, PageRequest, Position } from "../../domain/store/Paging.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { ContactScan } from "../../domain/store/QueryAnswer.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import { boundedWorkByKey } from "../boundedWork.ts"
import { nextLimit } from "../store/fittingPages.ts"
import { monotonicMillis } from "../worker/moment.ts"

/** How many contacts one query reads at most: a few milliseconds of work for the store, about 10 ms with the largest filter. */
const scanLimit = 2_000

/** The bound of a batch of a stream, by `bytesOfChanges`. A store keeps its contacts as rows and as records at once. */
const batchBytesMax = 16 * 1024 * 1024

/** How long the search for a page may take, including the wait for other scans of the project. */
export const scanMillisMax = 5 * secondMillis

/** One scan of a project runs at a time, and at most so many wait. */
const scanBound = { atOnce: 1, waitingMax: 7 }

/** What the next query of a stream reads. */
export interface ContactBatch {
  readonly after: Position | null
  /** How many contacts it returns at most. */
  readonly limit: number
  /** How many contacts it reads if it is a scan. */
  readonly scanLimit: number
}

/** The first batch, which has as many contacts as the largest page. Their size is unknown. */
export const firstBatch: ContactBatch = { after: null, limit: 100, scanLimit }

/** How many contacts the next batch returns: fewer while they are large. */
export const nextBatchLimit = (contacts: ReadonlyArray<ContactRecord>, limit: number): number =>
  contacts.length === 0
    ? limit
    : Math.min(
        scanLimit,
        nextLimit(
          contacts.map((record) => ({ kind: "Contact", record })),
          limit,
          batchBytesMax
        )
      )

export interface ContactScanner {
  /** One page of the matching contacts, and their total. Pieces are read one after another, so the total may be older than an item. */
  readonly page: (
    projectId: ProjectId,
    filters: ContactFilters,
    page: PageRequest
  ) => Effect.Effect<Page<ContactRecord>, ContactFilterTooSlow | StoreUnavailable>
  /** One batch of the matching contacts, and what the next one reads. */
  readonly batch: (
    projectId: ProjectId,
    filters: ContactFilters,
    batch: ContactBatch
  ) => Effect.Effect<readonly [ReadonlyArray<ContactRecord>, next: ContactBatch | null], StoreUnavailable>
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
    batch: (projectId, filters, batch) =>
      Effect.map(
        store.read([{ _tag: "ContactScan", projectId, filters, skip: 0, ...batch }]),
        ([{ items, matches, next }]) => {
          const after = matches > items.length ? items.at(-1)! : next
          const limit = nextBatchLimit(items, batch.limit)
          // Where most contacts match, a scan reads no more than it returns.
          const nextScanLimit = matches * 2 > batch.limit ? limit : Math.min(scanLimit, batch.scanLimit * 2)
          return [items, after === null ? null : { after, limit, scanLimit: nextScanLimit }]
        }
      )
  }
}
