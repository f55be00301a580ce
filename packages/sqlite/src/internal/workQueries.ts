/**
 * Answers the queries of the workers: what is due, when, and how much waits.
 */
import type { AnswerOf, QueryOf } from "@mailkeep/core/adapter"
import { unclaimedSql } from "./leases.ts"
import type { Prepared } from "./recordTable.ts"

/** Finds each next subscriber by the index, however many event deliveries each has pending. */
const pendingEventDeliveriesSql = `WITH RECURSIVE waiting (subscriber) AS (
  SELECT min(subscriber) FROM mailkeep_event_deliveries WHERE due_at IS NOT NULL
  UNION ALL
  SELECT (SELECT min(subscriber) FROM mailkeep_event_deliveries WHERE due_at IS NOT NULL AND subscriber > waiting.subscriber)
  FROM waiting WHERE waiting.subscriber IS NOT NULL
), first (subscriber, dueAt) AS (
  SELECT subscriber, (
    SELECT due_at FROM mailkeep_event_deliveries INDEXED BY mailkeep_event_deliveries_due
    WHERE mailkeep_event_deliveries.subscriber = waiting.subscriber AND due_at IS NOT NULL
    AND ${unclaimedSql("?")}
    ORDER BY due_at LIMIT 1
  ) FROM waiting WHERE subscriber IS NOT NULL
)
SELECT subscriber, dueAt FROM first WHERE dueAt IS NOT NULL ORDER BY subscriber`

/** The subscribers that have pending event deliveries, each with the earliest due time. */
export const pendingEventDeliveries = (
  connection: Prepared,
  { now }: QueryOf<"PendingEventDeliveries">
): AnswerOf<"PendingEventDeliveries"> =>
  connection.statement(pendingEventDeliveriesSql).all(now) as ReadonlyArray<{
    readonly subscriber: string
    readonly dueAt: number
  }>

/** The next instant at which a delivery is due or a lease of another worker ends. */
export const nextDue = (connection: Prepared, { worker, now }: QueryOf<"NextDue">): AnswerOf<"NextDue"> => {
  const earliest =
    "SELECT due_at FROM mailkeep_deliveries WHERE status = ? AND due_at IS NOT NULL AND worker IS NULL ORDER BY due_at LIMIT 1"
  const times = [
    ...connection.statement(earliest).pluck().all("scheduled"),
    ...connection.statement(earliest).pluck().all("queued"),
    connection
      .statement("SELECT min(lease_until) FROM mailkeep_leases WHERE worker <> ? AND lease_until > ?")
      .pluck()
      .get(worker, now)
  ].filter((time): time is number => typeof time === "number")
  return times.length === 0 ? null : Math.min(...times)
}

/** The leases that were set later than now. */
export const leasesSetAfter = (connection: Prepared, { now }: QueryOf<"LeasesSetAfter">): AnswerOf<"LeasesSetAfter"> =>
  connection
    .statement(
      "SELECT worker, renewed_at AS renewedAt, lease_until AS leaseUntil FROM mailkeep_leases WHERE renewed_at > ? ORDER BY worker"
    )
    .all(now) as AnswerOf<"LeasesSetAfter">

/** How many deliveries wait, and since when the oldest is due. */
export const backlog = (connection: Prepared, { now }: QueryOf<"Backlog">): AnswerOf<"Backlog"> => {
  const rows = connection
    .statement(
      "SELECT status, count(*) AS count, min(due_at) AS oldest FROM mailkeep_deliveries WHERE due_at IS NOT NULL GROUP BY status"
    )
    .all() as ReadonlyArray<{ readonly status: string; readonly count: number; readonly oldest: number }>
  const count = (status: string) => rows.find((row) => row.status === status)?.count ?? 0
  const due = rows.flatMap(({ status, oldest }) => (status !== "sending" && oldest <= now ? [oldest] : []))
  return {
    scheduled: count("scheduled"),
    queued: count("queued"),
    sending: count("sending"),
    oldestDueAt: due.length === 0 ? null : Math.min(...due)
  }
}

/** What should have moved, and how many event deliveries are pending. Each count reads an index only. */
export const workHealth = (
  connection: Prepared,
  { dueBefore, leaseEndedBefore }: QueryOf<"WorkHealth">
): AnswerOf<"WorkHealth"> => {
  const count = (where: string, ...values: ReadonlyArray<number>) =>
    connection
      .statement(`SELECT count(*) FROM ${where}`)
      .pluck()
      .get(...values) as number
  const late = (status: "scheduled" | "queued") =>
    count(`mailkeep_deliveries WHERE status = '${status}' AND due_at <= ?`, dueBefore)
  return {
    late: late("scheduled") + late("queued"),
    abandoned: count(
      `mailkeep_deliveries WHERE status = 'sending' AND due_at IS NOT NULL
       AND ${unclaimedSql("?")}`,
      leaseEndedBefore
    ),
    eventDeliveries: count("mailkeep_event_deliveries WHERE due_at IS NOT NULL")
  }
}
