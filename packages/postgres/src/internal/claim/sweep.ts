/**
 * Deletes old records, a bounded number at once.
 */
import type { Sweep } from "@mailkeep/core/adapter"
import type { Database } from "../database.ts"
import { inWriteTransaction } from "../transactions.ts"
import { schemaVersion } from "../migrations.ts"
import { makeVersionCheck } from "../tableVersion.ts"

/** Each statement passes over rows that another transaction writes. Its parameters are the instant and the limit. */
const sweepSql = (schema: string): Readonly<Record<Sweep["kind"], string>> => ({
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

export const makeSweep = (database: Database, schema: string) => {
  const statements = sweepSql(schema)
  const versionCheck = makeVersionCheck(schema, schemaVersion)
  return ({ kind, before, limit }: Sweep): Promise<number> =>
    inWriteTransaction(database, async (connection) => {
      await versionCheck.run(connection)
      const deleted = await connection.query(statements[kind], [before, limit])
      return { value: deleted.length, isKept: true }
    })
}
