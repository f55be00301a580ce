/**
 * Reads all records of one kind of a store, page by page, with memory for one page.
 */
import { Effect } from "effect"
import type { RecordKind, StoredRecord, StoredRecordKey, StoredRecordOf } from "../domain/store/StoredRecord.ts"
import { compareRecordKeys, storedRecordKey } from "../domain/store/StoredRecord.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import { StoreContractViolation } from "./checkedStore.ts"

const pageMax = 200
/** Records that can be large: a content of 20 MiB, a message or a template with long bodies. */
const largeMax: Partial<Readonly<Record<RecordKind, number>>> = { Content: 1, Message: 20, Resource: 20 }

/** The number of records of a kind that are read at once. */
const recordPageMax = (kind: RecordKind): number => largeMax[kind] ?? pageMax

/** Reads one page. Dies when the store breaks the order: otherwise a walk might never end. */
export const recordPage = <K extends RecordKind>(
  store: MailStoreShape,
  kind: K,
  after: StoredRecordKey | null,
  limit = recordPageMax(kind)
): Effect.Effect<ReadonlyArray<StoredRecordOf<K>>, StoreUnavailable> =>
  Effect.map(store.read([{ _tag: "Records", kind, after, limit }]), ([records]) => {
    let last = after
    for (const record of records) {
      const key = storedRecordKey(record)
      if (record.kind !== kind || (last !== null && compareRecordKeys(key, last) <= 0))
        throw new StoreContractViolation({ law: "records/by-key-after-a-key" })
      last = key
    }
    if (records.length > limit) throw new StoreContractViolation({ law: "records/by-key-after-a-key" })
    return records as ReadonlyArray<StoredRecordOf<K>>
  })

/** Runs an effect for each page of records of a kind. `after` is the key before the first record of the page. */
export const forEachRecordPage = <K extends RecordKind, E>(
  store: MailStoreShape,
  kind: K,
  onPage: (records: ReadonlyArray<StoredRecordOf<K>>, after: StoredRecordKey | null) => Effect.Effect<void, E>,
  limit = recordPageMax(kind)
): Effect.Effect<void, E | StoreUnavailable> =>
  Effect.gen(function* () {
    let after: StoredRecordKey | null = null
    while (true) {
      const records: ReadonlyArray<StoredRecordOf<K>> = yield* recordPage(store, kind, after, limit)
      if (records.length === 0) return
      yield* onPage(records, after)
      after = storedRecordKey(records.at(-1) as StoredRecord)
    }
  })
