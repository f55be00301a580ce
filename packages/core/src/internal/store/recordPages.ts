/**
 * Reads all records of one kind of a store, page by page, with memory for one page.
 */
import { Effect } from "effect"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { RecordKind, StoredRecord, StoredRecordKey, StoredRecordOf } from "../../domain/store/StoredRecord.ts"
import { compareRecordKeys, projectIdOf, storedRecordKey } from "../../domain/store/StoredRecord.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import { StoreContractViolation } from "./checkedStore.ts"

const pageMax = 200
/** Records that can be large: a content of 20 MiB, a message or a template with long bodies. */
const largeMax: Partial<Readonly<Record<RecordKind, number>>> = { Content: 1, Message: 20, Resource: 20 }

/** The number of records of a kind that are read at once. */
const recordPageMax = (kind: RecordKind): number => largeMax[kind] ?? pageMax

/** The records to read: of one project, or of all projects if `projectId` is `null`. */
export interface RecordPageQuery<K extends RecordKind> {
  readonly kind: K
  readonly projectId: ProjectId | null
  readonly after?: StoredRecordKey | null
  readonly limit?: number | undefined
}

const violation = () => new StoreContractViolation({ law: "records/by-key-after-a-key" })

const isSameKey = (a: StoredRecordKey | null, b: StoredRecordKey | null): boolean =>
  a !== null && b !== null && compareRecordKeys(a, b) === 0

/** Reads one page. */
export const recordPage = <K extends RecordKind>(
  store: MailStoreShape,
  { kind, projectId, after = null, limit = recordPageMax(kind) }: RecordPageQuery<K>
): Effect.Effect<ReadonlyArray<StoredRecordOf<K>>, StoreUnavailable> =>
  Effect.map(store.read([{ _tag: "Records", kind, projectId, after, limit }]), ([records]) => {
    const isAsked = (one: StoredRecord) =>
      one.kind === kind &&
      (projectId === null || projectIdOf(one) === projectId) &&
      !isSameKey(storedRecordKey(one), after)
    if (records.length > limit || !records.every(isAsked)) throw violation()
    return records as ReadonlyArray<StoredRecordOf<K>>
  })

/**
 * Runs an effect for each page of records of a kind. Dies when the store returns to an earlier page: otherwise the loop would never end. For that, it
 * compares the end of each page with the end of one earlier page, which it renews each time the number of pages has doubled.
 */
export const forEachRecordPage = <K extends RecordKind, E>(
  store: MailStoreShape,
  query: Omit<RecordPageQuery<K>, "after">,
  onPage: (records: ReadonlyArray<StoredRecordOf<K>>) => Effect.Effect<void, E>
): Effect.Effect<void, E | StoreUnavailable> =>
  Effect.gen(function* () {
    let after: StoredRecordKey | null = null
    let earlier: StoredRecordKey | null = null
    for (let page = 1; ; page++) {
      const records: ReadonlyArray<StoredRecordOf<K>> = yield* recordPage(store, { ...query, after })
      if (records.length === 0) return
      yield* onPage(records)
      after = storedRecordKey(records.at(-1) as StoredRecord)
      if (isSameKey(after, earlier)) throw violation()
      if (Number.isInteger(Math.log2(page))) earlier = after
    }
  })
