/**
 * Claims and sweeps.
 */
import * as Mail from "@mailkeep/core/adapter"
import { undistributedKey } from "./applyChange.ts"
import type { RecordTables } from "./records.ts"

/** A condition on a row that can be claimed. Its parameter is the time. */
export const isFree = "(worker IS NULL OR worker NOT IN (SELECT worker FROM Lease WHERE leaseUntil > ?))"

/** Takes the rows that have been due longest. Writes the worker and the next fencing token to each, and renews the lease. */
const take = <K extends "Delivery" | "EventDelivery">(
  tables: RecordTables,
  kind: K,
  among: "status" | "subscriber",
  value: string,
  { now, limit, worker, leaseUntil }: Omit<Mail.Claim, "kind">
) => {
  const due = `${among} = ? AND dueAt <= ? AND ${isFree} ORDER BY dueAt, id LIMIT ?`
  const rows = tables
    .find(kind, due, value, now, now, limit)
    .map((row) => ({ ...row, worker, fencingToken: row.fencingToken + 1 }))
  for (const row of rows) tables.put(`${kind}/${row.id}`, row)
  if (rows.length > 0) tables.put(`Lease/${worker}`, { worker, leaseUntil })
  return rows
}

export const claim = (tables: RecordTables, request: Mail.Claim): ReadonlyArray<Mail.Delivery> =>
  take(tables, "Delivery", "status", Mail.claimKinds[request.kind], request)

export const claimEventDeliveries = (
  tables: RecordTables,
  request: Mail.EventDeliveryClaim
): ReadonlyArray<Mail.EventDelivery> => take(tables, "EventDelivery", "subscriber", request.subscriber, request)

const isIdle = ["Delivery", "EventDelivery"]
  .map((table) => `worker NOT IN (SELECT worker FROM ${table} WHERE dueAt IS NOT NULL AND worker IS NOT NULL)`)
  .join(" AND ")

/** The table of each sweep, the field with the age of a record, and what else must be true. */
const sweeps: Readonly<Record<Mail.SweepKind, { table: string; age: string; where: string }>> = {
  events: { table: "Event", age: "occurredAt", where: "TRUE" },
  idempotency: { table: "Idempotency", age: "expiresAt", where: "TRUE" },
  eventDeliveries: { table: "EventDelivery", age: "settledAt", where: "TRUE" },
  leases: { table: "Lease", age: "leaseUntil", where: isIdle }
}

export const sweep = (tables: RecordTables, { kind, before, limit }: Mail.Sweep): number => {
  const { table, age, where } = sweeps[kind]
  const old = `SELECT key FROM ${table} WHERE ${age} < ? AND ${where} ORDER BY ${age}, key LIMIT ?`
  const keys = tables.rows(old, before, limit).map(({ key }) => key as string)
  for (const key of keys) {
    tables.remove(key)
    if (kind === "events") tables.remove(undistributedKey(key))
  }
  return keys.length
}
