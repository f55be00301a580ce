/**
 * Applies one change: checks its guard, then writes. The write transaction around the commit makes both one step.
 */
import * as Mail from "@mailkeep/core/adapter"
import { putContent, referToContents } from "./contents.ts"
import type { RecordTables } from "./records.ts"
import { rewriteRecord, undistributedKey } from "./storedRecords.ts"

type Existing = { readonly revision: number } | undefined

/** The record that an `Expect` names. */
const expected = (tables: RecordTables, key: string, ref: Mail.RecordRef): Existing =>
  ref.kind === "ContactAddress"
    ? tables.find("Contact", "projectId = ? AND address = ?", ref.projectId, ref.address)[0]
    : (tables.get(key) as Existing)

/** Returns the reason if the guard does not hold. Then it has written nothing. */
export const applyChange = (tables: RecordTables, change: Mail.Change): Mail.ConflictReason | undefined => {
  const key = Mail.recordKeyOf(change)
  if (change._tag === "PutContent") return void putContent(tables, change)
  if (change._tag === "Expect") return Mail.revisionConflict(expected(tables, key, change.record), change.revision)
  const existing = tables.get(key) as object | undefined
  const write = (record: unknown) => (tables.put(key, record) ? undefined : "AlreadyExists")
  const patch = (fields: object) => (existing === undefined ? undefined : write({ ...existing, ...fields }))
  switch (change._tag) {
    case "TouchApiKey":
      return patch({ lastUsedAt: change.lastUsedAt })
    case "RemoveDomain":
    case "RemoveResource":
    case "RemoveContact":
      return Mail.revisionConflict(existing as Existing, change.revision) ?? void tables.remove(key)
    case "RecordIdempotency": {
      const { expiresAt } = (existing ?? { expiresAt: change.now }) as Mail.IdempotencyRecord
      return expiresAt > change.now ? "AlreadyExists" : write(change.record)
    }
    case "ExtendIdempotency":
      return patch({ expiresAt: change.expiresAt })
    case "InsertMessage":
      if (existing !== undefined) return "AlreadyExists"
      referToContents(tables, change.message)
      return write(change.message)
    case "AppendEvent":
      if (existing !== undefined) return "AlreadyExists"
      tables.put(undistributedKey(key), change.event)
      return write(change.event)
    case "DistributeEvent":
      if (existing === undefined) return "NotFound"
      return tables.remove(undistributedKey(key)) ? undefined : "Stale"
    case "InsertAttempt": {
      const { projectId, deliveryId } = change.attempt
      if (tables.get(`Delivery/${projectId}/${deliveryId}`) === undefined) return "NotFound"
      return existing === undefined ? write(change.attempt) : "AlreadyExists"
    }
    case "TransitionAttempt": {
      if (existing === undefined) return "NotFound"
      const delivery = tables.get(`Delivery/${change.projectId}/${change.deliveryId}`) as Mail.Delivery | undefined
      const applies =
        delivery?.status === "sending" &&
        delivery.fencingToken === change.fencingToken &&
        (existing as Mail.Attempt).phase === change.from
      return applies ? patch(change.next) : "Stale"
    }
    case "TransitionDelivery":
    case "TransitionEventDelivery": {
      if (existing === undefined) return "NotFound"
      const { status, fencingToken } = existing as Mail.Delivery | Mail.EventDelivery
      return status === change.from && fencingToken === change.fencingToken ? patch(change.next) : "Stale"
    }
    case "AddToCounter": {
      const { projectId, name, by, max } = change
      const value = ((existing as Mail.Counter | undefined)?.value ?? 0) + by
      return by >= 0 && max !== null && value > max ? "Exhausted" : write({ projectId, name, value })
    }
    case "RewriteRecord":
      return rewriteRecord(tables, key, change)
    case "RemoveRecord": {
      if (existing === undefined) return "NotFound"
      const stored = { kind: change.record.kind, record: existing } as Mail.StoredRecord
      return Mail.isSameRecord(stored, change.record) ? void tables.remove(key) : "Stale"
    }
    case "RenewLease":
      return write({ worker: change.worker, renewedAt: change.renewedAt, leaseUntil: change.leaseUntil })
    case "EndLease":
      return void tables.remove(key)
    default: {
      // The others write a whole record: a `Put…` replaces a revision, an `Insert…` is new.
      const conflict =
        "replaces" in change
          ? Mail.revisionConflict(existing as Existing, change.replaces)
          : existing === undefined
            ? undefined
            : "AlreadyExists"
      return conflict ?? write(Mail.recordOf(change))
    }
  }
}
