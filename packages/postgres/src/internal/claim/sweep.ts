/**
 * Deletes old records, a bounded number at once.
 */
import type { Delivery, Message, Sweep } from "@mailkeep/core/adapter"
import { hasEndedBefore } from "@mailkeep/core/adapter"
import { deliveryInstants, sweptCounts } from "@mailkeep/core/adapter/evaluation"
import type { Connection, Database } from "../database.ts"
import { inWriteTransaction } from "../database.ts"
import { columnOf } from "../recordTable.ts"
import { deliveries, messages } from "../tables.ts"
import { makeAddToCounters } from "../write/counterSet.ts"
import { contentKeys, makeTakeLocks } from "../write/lockKeys.ts"
import { makeDeleteReferences, makeDeleteUnusedContents } from "../write/rewriteRecord.ts"

/** Each statement passes over rows that another transaction writes. Its parameters are the instant and the limit. */
const sweepSql = (schema: string): Readonly<Record<Exclude<Sweep["kind"], "messages">, string>> => ({
  events: `WITH old AS MATERIALIZED (
  SELECT id FROM ${schema}.events WHERE occurred_at < $1 ORDER BY occurred_at, id LIMIT $2 FOR UPDATE SKIP LOCKED
), waiting AS (
  DELETE FROM ${schema}.undistributed_events AS t USING old WHERE t.event_id = old.id
)
DELETE FROM ${schema}.events AS t USING old WHERE t.id = old.id RETURNING 1`,
  idempotency: `WITH old AS MATERIALIZED (
  SELECT project_id, key FROM ${schema}.idempotency WHERE expires_at < $1
  ORDER BY expires_at, project_id, key LIMIT $2 FOR UPDATE SKIP LOCKED
)
DELETE FROM ${schema}.idempotency AS t USING old WHERE (t.project_id, t.key) = (old.project_id, old.key) RETURNING 1`,
  eventDeliveries: `WITH old AS MATERIALIZED (
  SELECT id FROM ${schema}.event_deliveries WHERE ended_at < $1 ORDER BY ended_at, id LIMIT $2 FOR UPDATE SKIP LOCKED
)
DELETE FROM ${schema}.event_deliveries AS t USING old WHERE t.id = old.id RETURNING 1`,
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

const makeSweepMessages = (database: Database, schema: string) => {
  const takeLocks = makeTakeLocks(schema)
  const addToCounters = makeAddToCounters(schema)
  const deleteReferences = makeDeleteReferences(schema)
  const deleteUnusedContents = makeDeleteUnusedContents(schema)
  const keyRows = `json_to_recordset($1::json) AS r("projectId" text, id text)`

  const deliveriesOf = (connection: Connection, deleted: ReadonlyArray<Message>): Promise<ReadonlyArray<Delivery>> =>
    connection.query<Delivery>(
      `SELECT ${deliveries.columns("d")} FROM ${schema}.deliveries AS d
JOIN ${keyRows} ON (d.project_id, d.message_id) = (r."projectId", r.id) ORDER BY d.id FOR UPDATE OF d`,
      [JSON.stringify(deleted.map(({ projectId, id }) => ({ projectId, id })))]
    )

  return (before: number, limit: number): Promise<number> =>
    inWriteTransaction(database, async (connection) => {
      const found = await connection.query<Message>(endedSql(schema), [before, limit])
      if (found.length === 0) return { value: 0, isKept: true }
      await takeLocks(connection, {
        locks: found.flatMap(contentKeys).map((key) => ({ key, exclusive: true })),
        contacts: []
      })
      const rows = await deliveriesOf(connection, found)
      // A report can have arrived between the two statements.
      const changed = new Set(rows.filter((one) => !hasEndedBefore(one, before)).map(({ messageId }) => messageId))
      const ended = found.filter(({ id }) => !changed.has(id))
      const gone = rows.filter(({ messageId }) => !changed.has(messageId))
      const ids = JSON.stringify(gone.map(({ id }) => id))
      await connection.query(
        `DELETE FROM ${schema}.attempts WHERE delivery_id IN (SELECT json_array_elements_text($1::json))`,
        [ids]
      )
      await connection.query(
        `DELETE FROM ${schema}.deliveries WHERE id IN (SELECT json_array_elements_text($1::json))`,
        [ids]
      )
      await addToCounters(
        connection,
        sweptCounts(gone).map((count) => ({ _tag: "AddToCounter", ...count, max: null }))
      )
      await connection.query(`DELETE FROM ${schema}.messages WHERE id IN (SELECT json_array_elements_text($1::json))`, [
        JSON.stringify(ended.map(({ id }) => id))
      ])
      await deleteReferences(connection, ended)
      await deleteUnusedContents(connection, ended)
      return { value: ended.length, isKept: true }
    })
}

export const makeSweep = (database: Database, schema: string) => {
  const statements = sweepSql(schema)
  const sweepMessages = makeSweepMessages(database, schema)
  return ({ kind, before, limit }: Sweep): Promise<number> =>
    kind === "messages"
      ? sweepMessages(before, limit)
      : database.use(async (connection) => (await connection.query(statements[kind], [before, limit])).length)
}
