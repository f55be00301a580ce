/**
 * Divides the records of a page so that a store does not refuse them as too many at once. Source: decision 0050.
 */
import type { StoredRecord } from "../../domain/store/StoredRecord.ts"
import { octetsOfRecord } from "../../internal/store/fittingPages.ts"

/** The bound of a batch. One transaction of the stores has the same bound, so larger batches would not be faster. */
const batchOctetsMax = 8 * 1024 * 1024

/** Divides records into batches of at most 8 MiB. A larger record is alone in its batch. */
export const recordBatches = (records: ReadonlyArray<StoredRecord>): ReadonlyArray<ReadonlyArray<StoredRecord>> => {
  const batches: Array<Array<StoredRecord>> = []
  let octets = 0
  for (const record of records) {
    const own = octetsOfRecord(record)
    octets += own
    if (batches.length === 0 || octets > batchOctetsMax) {
      batches.push([record])
      octets = own
    } else batches.at(-1)!.push(record)
  }
  return batches
}
