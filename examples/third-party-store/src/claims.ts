/**
 * Claims and sweeps.
 */
import * as Mail from "@mailkeep/core/adapter"
import { undistributedKey } from "./storedRecords.ts"
import type { RecordTables } from "./records.ts"

/** A condition on a row that can be claimed. Its parameter is the time. */
export const isFree = "(worker IS NULL OR worker NOT IN (SELECT worker FROM Lease WHERE leaseUntil > ?))"

/** Writes the worker and the next fencing token to each chosen row, and sets the lease of the worker. */
const mark = <R extends Mail.Delivery | Mail.EventDelivery>(
  tables: RecordTables,
  kind: "Delivery" | "EventDelivery",
  { now, worker, leaseUntil }: Pick<Mail.Claim, "now" | "worker" | "leaseUntil">,
  chosen: ReadonlyArray<R>
): ReadonlyArray<R> => {
  const rows = chosen.map((row) => ({ ...row, worker, fencingToken: row.fencingToken + 1 }))
  for (const row of rows) tables.put(`${kind}/${row.projectId}/${row.id}`, row)
  if (rows.length > 0) tables.put(`Lease/${worker}`, { worker, renewedAt: now, leaseUntil })
  return rows
}

/** The next lane with a delivery of the status, whether or not it is due. Finds it by the index, however many deliveries a lane has. */
const laneAfter = (tables: RecordTables, status: string, { projectId, bulk }: { projectId: string; bulk: number }) =>
  tables.rows(
    "SELECT projectId, bulk FROM Delivery WHERE status = ? AND (projectId, bulk) > (?, ?) ORDER BY projectId, bulk LIMIT 1",
    status,
    projectId,
    bulk
  )[0] as { readonly projectId: string; readonly bulk: number } | undefined

export const claim = (tables: RecordTables, request: Mail.Claim): ReadonlyArray<Mail.Delivery> => {
  const { kind, now, limit, rotation } = request
  const status = Mail.claimKinds[kind]
  const due: Array<Mail.Delivery> = []
  // A claim takes at most `limit` deliveries of a lane, so later deliveries of the lane do not matter.
  const firstOfLane = `status = ? AND projectId = ? AND bulk = ? AND (dueAt <= ? OR dueSetAt > ?) AND ${isFree}
    ORDER BY dueAt, id LIMIT ?`
  for (
    let lane = laneAfter(tables, status, { projectId: "", bulk: 0 });
    lane !== undefined;
    lane = laneAfter(tables, status, lane)
  )
    due.push(...tables.find("Delivery", firstOfLane, status, lane.projectId, lane.bulk, now, now, now, limit))
  return mark(tables, "Delivery", request, Mail.roundRobin(due, limit, rotation))
}

export const claimEventDeliveries = (
  tables: RecordTables,
  request: Mail.EventDeliveryClaim
): ReadonlyArray<Mail.EventDelivery> => {
  const { subscriber, now, limit } = request
  const due = `subscriber = ? AND dueAt <= ? AND ${isFree} ORDER BY dueAt, id LIMIT ?`
  return mark(tables, "EventDelivery", request, tables.find("EventDelivery", due, subscriber, now, now, limit))
}

const isIdle = ["Delivery", "EventDelivery"]
  .map((table) => `worker NOT IN (SELECT worker FROM ${table} WHERE dueAt IS NOT NULL AND worker IS NOT NULL)`)
  .join(" AND ")

/** The table of each sweep, the condition of an old record, and the order, which begins with the age. */
const sweeps: Readonly<Record<Mail.SweepKind, { table: string; order: string; where: string }>> = {
  events: { table: "Event", order: "occurredAt, id", where: "occurredAt < ?" },
  idempotency: { table: "Idempotency", order: "expiresAt, key", where: "expiresAt < ?" },
  eventDeliveries: { table: "EventDelivery", order: "endedAt, id", where: "endedAt < ?" },
  leases: { table: "Lease", order: "leaseUntil, key", where: `leaseUntil < ? AND ${isIdle}` }
}

export const sweep = (tables: RecordTables, { kind, before, limit }: Mail.Sweep): number => {
  const { table, order, where } = sweeps[kind]
  const old = `SELECT key FROM ${table} WHERE ${where} ORDER BY ${order} LIMIT ?`
  const keys = tables.rows(old, before, limit).map(({ key }) => key as string)
  for (const key of keys) {
    tables.remove(key)
    if (kind === "events") tables.remove(undistributedKey(key))
  }
  return keys.length
}
