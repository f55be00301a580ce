/**
 * Divides the records of a page so that a store does not refuse them as too many at once. Source: decision 0050.
 */
import type { StoredRecord } from "../../domain/store/StoredRecord.ts"
import { bytesOfRecord } from "../../internal/store/fittingPages.ts"

/** The bound of a batch. One transaction of the stores has the same bound, so larger batches would not be faster. */
const batchBytesMax = 8 * 1024 * 1024

/** Divides records into batches of at most 8 MiB. A larger record is alone in its batch. */
export const recordBatches = (records: ReadonlyArray<StoredRecord>): ReadonlyArray<ReadonlyArray<StoredRecord>> => {
  const batches: Array<Array<StoredRecord>> = []
  let bytes = 0
  for (const record of records) {
    const own = bytesOfRecord(record)
    bytes += own
    if (batches.length === 0 || bytes > batchBytesMax) {
      batches.push([record])
      bytes = own
    } else batches.at(-1)!.push(record)
  }
  return batches
}
