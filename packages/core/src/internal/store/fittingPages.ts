/**
 * Reads fewer records at once while they are large, because a store keeps a whole answer in memory. Source: decision 0050.
 */
import { Effect } from "effect"
import { restoreRecord } from "../../decide/store/restoreRecord.ts"
import { bytesOfChanges } from "../../domain/store/commitSize.ts"
import type { Query, QueryOf } from "../../domain/store/Query.ts"
import type { RecordKind, StoredRecord } from "../../domain/store/StoredRecord.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"

/** The bound of a page, by `bytesOfRecord`. Its texts have a third of this length. */
const pageBytesMax = 64 * 1024 * 1024
/** The records of the first page, whose size is unknown. Each has at most two bodies of 2 MiB. */
const firstPageRecords = 4
/** By how much a page that could not be read is made smaller. */
const smallerBy = 8

/** The kinds whose records can be large: with bodies, or with the properties of a contact. */
const largeKinds: ReadonlySet<RecordKind> = new Set(["Message", "Resource", "Contact", "Event"])

/** The approximate size of a record, by `bytesOfChanges`: about three times its bodies and properties. */
export const bytesOfRecord = (record: StoredRecord): number =>
  bytesOfChanges(restoreRecord(record, undefined)?.first ?? [])

/** How many records the next page has. Its records may be as large as the largest of this page. */
export const nextLimit = (page: ReadonlyArray<StoredRecord>, limit: number, bytesMax = pageBytesMax): number => {
  const largest = page.reduce((bytes, record) => Math.max(bytes, bytesOfRecord(record)), 1)
  return Math.max(1, Math.min(limit * 2, Math.floor(bytesMax / largest)))
}

/**
 * Returns a store whose answers to the query `Records` may have fewer records than the limit. The number follows the size of the page before. A page that
 * is much larger than the page before can be too large for a store, such as for the thread that reads SQLite. It then fails as `unreachable`, and is read
 * again with fewer records.
 */
export const withFittingPages = (store: MailStoreShape): MailStoreShape => {
  const limits = new Map<RecordKind, number>()
  const readPage = (query: QueryOf<"Records">): Effect.Effect<ReadonlyArray<StoredRecord>, StoreUnavailable> => {
    const { kind } = query
    const limit = Math.min(query.limit, limits.get(kind) ?? firstPageRecords)
    return store.read([{ ...query, limit }]).pipe(
      Effect.map(([page]) => {
        limits.set(kind, nextLimit(page, limit))
        return page
      }),
      Effect.catchIf(
        ({ reason }) => reason === "unreachable" && limit > 1,
        () => {
          limits.set(kind, Math.max(1, Math.floor(limit / smallerBy)))
          return readPage(query)
        }
      )
    )
  }
  return {
    ...store,
    read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) => {
      const [query] = queries
      return queries.length === 1 && query?._tag === "Records" && largeKinds.has(query.kind)
        ? (Effect.map(readPage(query), (page) => [page]) as unknown as ReturnType<typeof store.read<Qs>>)
        : store.read(queries)
    }
  }
}
