/**
 * Deletes old records, a bounded number at once.
 */
import type { Delivery, Message, Sweep } from "@mailkeep/core/adapter"
import { hasEndedBefore } from "@mailkeep/core/adapter"
import { deliveryInstants, sweptCounts } from "@mailkeep/core/adapter/evaluation"
import type { Connection, Database } from "../database.ts"
import { inWriteTransaction } from "../transactions.ts"
import { schemaVersion } from "../migrations.ts"
import { columnOf, jsonRows } from "../recordTable.ts"
import { deliveries, messages } from "../tables.ts"
import type { VersionCheck } from "../tableVersion.ts"
import { makeVersionCheck } from "../tableVersion.ts"
import { makeAddToCounters } from "../write/counterSet.ts"
import { contentKeys, makeTakeLocks } from "../write/lockKeys.ts"
import { makeDeleteReferences, makeDeleteUnusedContents } from "../write/rewriteRecord.ts"

/** Each statement passes over rows that another transaction writes. Its parameters are the instant and the limit. */
const sweepSql = (schema: string): Readonly<Record<Exclude<Sweep["kind"], "messages">, string>> => ({
  events: `WITH old AS MATERIALIZED (
  SELECT project_id, id FROM ${schema}.events WHERE occurred_at < $1 ORDER BY occurred_at, id LIMIT $2 FOR UPDATE SKIP LOCKED
), waiting AS (
  DELETE FROM ${schema}.undistributed_events AS t USING old WHERE (t.project_id, t.event_id) = (old.project_id, old.id)
)
DELETE FROM ${schema}.events AS t USING old WHERE (t.project_id, t.id) = (old.project_id, old.id) RETURNING 1`,
  idempotency: `WITH old AS MATERIALIZED (
  SELECT project_id, key FROM ${schema}.idempotency WHERE expires_at < $1
  ORDER BY expires_at, project_id, key LIMIT $2 FOR UPDATE SKIP LOCKED
)
DELETE FROM ${schema}.idempotency AS t USING old WHERE (t.project_id, t.key) = (old.project_id, old.key) RETURNING 1`,
  eventDeliveries: `WITH old AS MATERIALIZED (
  SELECT project_id, id FROM ${schema}.event_deliveries WHERE ended_at < $1 ORDER BY ended_at, id LIMIT $2 FOR UPDATE SKIP LOCKED
)
DELETE FROM ${schema}.event_deliveries AS t USING old WHERE (t.project_id, t.id) = (old.project_id, old.id) RETURNING 1`,
  leases: `WITH old AS MATERIALIZED (
  SELECT worker FROM ${schema}.leases AS lease WHERE lease_until < $1
    AND NOT EXISTS (SELECT FROM ${schema}.deliveries AS d WHERE d.worker = lease.worker AND d.due_at IS NOT NULL)
    AND NOT EXISTS (SELECT FROM ${schema}.event_deliveries AS d WHERE d.worker = lease.worker AND d.due_at IS NOT NULL)
  ORDER BY lease_until, worker LIMIT $2 FOR UPDATE SKIP LOCKED
)
DELETE FROM ${schema}.leases AS t USING old WHERE t.worker = old.worker RETURNING 1`
})

const isLater = deliveryInstants.map((field) => `d.${columnOf(field)} >= $1`).join(" OR ")

/** The messages of `evaluateMessageSweep`. */
const endedSql = (schema: string): string => `SELECT ${messages.columns("m")} FROM ${schema}.messages AS m
WHERE m.created_at < $1 AND NOT EXISTS (
  SELECT FROM ${schema}.deliveries AS d
  WHERE d.message_id = m.id AND d.project_id = m.project_id AND (d.due_at IS NOT NULL OR ${isLater})
) ORDER BY m.created_at, m.id LIMIT $2 FOR UPDATE OF m SKIP LOCKED`

const makeSweepMessages = (database: Database, schema: string, versionCheck: VersionCheck) => {
  const takeLocks = makeTakeLocks(schema)
  const addToCounters = makeAddToCounters(schema)
  const deleteReferences = makeDeleteReferences(schema)
  const deleteUnusedContents = makeDeleteUnusedContents(schema)
  const keyRows = jsonRows("$1", "r", `"projectId" text, id text`)

  const keysOf = (records: ReadonlyArray<Delivery | Message>) =>
    JSON.stringify(records.map(({ projectId, id }) => ({ projectId, id })))

  /** Deletes the rows whose column has the id of one of the records. */
  const deleteRows = (
    connection: Connection,
    table: string,
    column: string,
    records: ReadonlyArray<Delivery | Message>
  ) =>
    connection.query(
      `DELETE FROM ${schema}.${table} AS t USING ${keyRows} WHERE (t.project_id, t.${column}) = (r."projectId", r.id)`,
      [keysOf(records)]
    )

  const deliveriesOf = (connection: Connection, deleted: ReadonlyArray<Message>): Promise<ReadonlyArray<Delivery>> =>
    connection.query<Delivery>(
      `SELECT ${deliveries.columns("d")} FROM ${schema}.deliveries AS d
JOIN ${keyRows} ON (d.project_id, d.message_id) = (r."projectId", r.id) ORDER BY d.id FOR UPDATE OF d`,
      [keysOf(deleted)]
    )

  return (before: number, limit: number): Promise<number> =>
    inWriteTransaction(database, async (connection) => {
      await versionCheck.run(connection)
      const found = await connection.query<Message>(endedSql(schema), [before, limit])
      if (found.length === 0) return { value: 0, isKept: true }
      await takeLocks(connection, {
        locks: found.flatMap(contentKeys).map((key) => ({ key, exclusive: true })),
        contacts: []
      })
      const rows = await deliveriesOf(connection, found)
      // A report can have arrived between the two statements.
      const keyOf = (projectId: string, messageId: string) => `${projectId}/${messageId}`
      const changed = new Set(
        rows
          .filter((one) => !hasEndedBefore(one, before))
          .map(({ projectId, messageId }) => keyOf(projectId, messageId))
      )
      const ended = found.filter(({ projectId, id }) => !changed.has(keyOf(projectId, id)))
      const gone = rows.filter(({ projectId, messageId }) => !changed.has(keyOf(projectId, messageId)))
      await deleteRows(connection, "attempts", "delivery_id", gone)
      await deleteRows(connection, "deliveries", "id", gone)
      await addToCounters.apply(
        connection,
        sweptCounts(gone).map((count) => ({ _tag: "AddToCounter", ...count, max: null }))
      )
      await deleteRows(connection, "messages", "id", ended)
      await deleteReferences(connection, ended)
      await deleteUnusedContents(connection, ended)
      return { value: ended.length, isKept: true }
    })
}

export const makeSweep = (database: Database, schema: string) => {
  const statements = sweepSql(schema)
  const versionCheck = makeVersionCheck(schema, schemaVersion)
  const sweepMessages = makeSweepMessages(database, schema, versionCheck)
  return ({ kind, before, limit }: Sweep): Promise<number> =>
    kind === "messages"
      ? sweepMessages(before, limit)
      : inWriteTransaction(database, async (connection) => {
          await versionCheck.run(connection)
          const deleted = await connection.query(statements[kind], [before, limit])
          return { value: deleted.length, isKept: true }
        })
}
