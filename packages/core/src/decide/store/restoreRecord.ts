/**
 * The changes that write a record of another store as it is. They are the same changes with which a use case wrote the record first.
 * Source: decision 0050.
 */
import type { Change } from "../../domain/store/Change.ts"
import { isSameRecord } from "../../domain/store/StoredRecord.ts"
import type { StoredRecord } from "../../domain/store/StoredRecord.ts"

/** An instant before every expiry, so that the change replaces no record, not even an expired one. */
const beforeAll = Number.MIN_SAFE_INTEGER

/** The change that writes the record. An event is written undistributed, because a store appends every event so. */
const writing = ({ kind, record }: StoredRecord): Change => {
  switch (kind) {
    case "Setting":
      return { _tag: "PutSetting", ...record }
    case "Project":
      return { _tag: "PutProject", project: record, replaces: null }
    case "ApiKey":
      return { _tag: "PutApiKey", key: record, replaces: null }
    case "Domain":
      return { _tag: "PutDomain", domain: record, replaces: null }
    case "Resource":
      return { _tag: "PutResource", resource: record, replaces: null }
    case "Contact":
      return { _tag: "PutContact", contact: record, replaces: null }
    case "Suppression":
      return { _tag: "PutSuppression", suppression: record, replaces: null }
    case "Idempotency":
      return { _tag: "RecordIdempotency", record, now: beforeAll }
    case "Content":
      return { _tag: "PutContent", ...record }
    case "Message":
      return { _tag: "InsertMessage", message: record }
    case "Delivery":
      return { _tag: "InsertDelivery", delivery: record }
    case "Attempt":
      return { _tag: "InsertAttempt", attempt: record }
    case "Counter":
      return { _tag: "AddToCounter", projectId: record.projectId, name: record.name, by: record.value, max: null }
    case "Event":
      return { _tag: "AppendEvent", event: record.event }
    case "EventDelivery":
      return { _tag: "InsertEventDelivery", eventDelivery: record }
    case "Lease":
      return { _tag: "RenewLease", ...record }
  }
}

/** The change that marks an event as distributed, for a record that is. */
const distributing = ({ kind, record }: StoredRecord): ReadonlyArray<Change> =>
  kind === "Event" && record.isDistributed
    ? [{ _tag: "DistributeEvent", projectId: record.event.projectId, id: record.event.id }]
    : []

/** What a move writes for one record: the changes of a first and of a second commit. `null` if the target has another record there. */
export interface Restoring {
  readonly first: ReadonlyArray<Change>
  /** An event cannot be appended and distributed in one commit. */
  readonly second: ReadonlyArray<Change>
}

/**
 * Decides what a move writes for a record. `existing` is the record that the target has under its key: of an earlier move that was interrupted.
 * Returns `null` if that record is another one.
 */
export const restoreRecord = (record: StoredRecord, existing: StoredRecord | undefined): Restoring | null => {
  if (existing === undefined) return { first: [writing(record)], second: distributing(record) }
  if (isSameRecord(existing, record)) return { first: [], second: [] }
  if (existing.kind !== "Event" || record.kind !== "Event" || existing.record.isDistributed) return null
  const isSameEvent = isSameRecord(existing, { kind: "Event", record: { ...record.record, isDistributed: false } })
  return isSameEvent ? { first: [], second: distributing(record) } : null
}
