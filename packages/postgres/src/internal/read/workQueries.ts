/**
 * The queries of the workers: what is due, when, and how much waits. They read all projects.
 */
import type { AnswerOf, Lease, QueryOf } from "@mailkeep/core/adapter"
import type { Building, Reading } from "./reading.ts"
import { rowSql, rowsOf, rowsSql } from "./reading.ts"

/** Whether the worker of a row has no lease that ends after an instant. */
const isUnclaimed = (building: Building, alias: string, after: number): string =>
  `(${alias}.worker IS NULL OR NOT EXISTS (SELECT FROM ${building.table("leases")} AS lease WHERE lease.worker = ${alias}.worker AND lease.lease_until > ${building.parameter(after)}))`

/** The subscribers that have pending event deliveries, each with the earliest due time. Finds each next subscriber by the index. */
export const pendingEventDeliveries = (
  building: Building,
  { now }: QueryOf<"PendingEventDeliveries">
): Reading<AnswerOf<"PendingEventDeliveries">> => {
  const table = building.table("event_deliveries")
  const sql = `WITH RECURSIVE waiting (subscriber) AS (
  (SELECT one.subscriber FROM ${table} AS one WHERE one.due_at IS NOT NULL ORDER BY one.subscriber LIMIT 1)
  UNION ALL
  SELECT (SELECT one.subscriber FROM ${table} AS one WHERE one.due_at IS NOT NULL AND one.subscriber > waiting.subscriber ORDER BY one.subscriber LIMIT 1)
  FROM waiting WHERE waiting.subscriber IS NOT NULL
)
SELECT waiting.subscriber, first.due_at AS "dueAt" FROM waiting CROSS JOIN LATERAL (
  SELECT one.due_at FROM ${table} AS one
  WHERE one.subscriber = waiting.subscriber AND one.due_at IS NOT NULL AND ${isUnclaimed(building, "one", now)}
  ORDER BY one.due_at LIMIT 1
) AS first ORDER BY waiting.subscriber`
  return { sql: rowsSql(sql), read: rowsOf<AnswerOf<"PendingEventDeliveries">[number]> }
}

/** The next instant at which a delivery is due or a lease of another worker ends. */
export const nextDue = (building: Building, { worker, now }: QueryOf<"NextDue">): Reading<AnswerOf<"NextDue">> => {
  const earliest = (status: string) =>
    `(SELECT one.due_at FROM ${building.table("deliveries")} AS one WHERE one.status = '${status}' AND one.due_at IS NOT NULL AND one.worker IS NULL ORDER BY one.due_at LIMIT 1)`
  const lease = `(SELECT min(lease.lease_until) FROM ${building.table("leases")} AS lease WHERE lease.worker <> ${building.parameter(worker)} AND lease.lease_until > ${building.parameter(now)})`
  return {
    sql: `to_json(least(${earliest("scheduled")}, ${earliest("queued")}, ${lease}))`,
    read: (value) => value as number | null
  }
}

/** The leases that were set later than now. */
export const leasesSetAfter = (
  building: Building,
  { now }: QueryOf<"LeasesSetAfter">
): Reading<AnswerOf<"LeasesSetAfter">> => ({
  sql: rowsSql(
    `SELECT lease.worker, lease.renewed_at AS "renewedAt", lease.lease_until AS "leaseUntil" FROM ${building.table("leases")} AS lease WHERE lease.renewed_at > ${building.parameter(now)} ORDER BY lease.worker`
  ),
  read: rowsOf<Lease>
})

/** How many deliveries wait, and since when the oldest is due. */
export const backlog = (building: Building, { now }: QueryOf<"Backlog">): Reading<AnswerOf<"Backlog">> => {
  const count = (status: string) => `count(*) FILTER (WHERE one.status = '${status}') AS ${status}`
  return {
    sql: rowSql(
      `SELECT ${["scheduled", "queued", "sending"].map(count).join(", ")}, min(one.due_at) FILTER (WHERE one.status <> 'sending' AND one.due_at <= ${building.parameter(now)}) AS "oldestDueAt" FROM ${building.table("deliveries")} AS one WHERE one.due_at IS NOT NULL`
    ),
    read: (value) => value as AnswerOf<"Backlog">
  }
}

/** What should have moved, and how many event deliveries are pending. */
export const workHealth = (
  building: Building,
  { dueBefore, leaseEndedBefore }: QueryOf<"WorkHealth">
): Reading<AnswerOf<"WorkHealth">> => {
  const deliveries = building.table("deliveries")
  const late = `(SELECT count(*) FROM ${deliveries} AS one WHERE one.status IN ('scheduled', 'queued') AND one.due_at <= ${building.parameter(dueBefore)})`
  const abandoned = `(SELECT count(*) FROM ${deliveries} AS one WHERE one.status = 'sending' AND one.due_at IS NOT NULL AND ${isUnclaimed(building, "one", leaseEndedBefore)})`
  const pending = `(SELECT count(*) FROM ${building.table("event_deliveries")} AS one WHERE one.due_at IS NOT NULL)`
  return {
    sql: `json_build_object('late', ${late}, 'abandoned', ${abandoned}, 'eventDeliveries', ${pending})`,
    read: (value) => value as AnswerOf<"WorkHealth">
  }
}
