/**
 * Deletes the oldest records of one kind.
 */
import type { Sweep } from "@mailkeep/core/adapter"
import type { Prepared } from "./recordTable.ts"

const sweepSql: Readonly<Record<Sweep["kind"], string>> = {
  events:
    "DELETE FROM mailkeep_events WHERE id IN (SELECT id FROM mailkeep_events WHERE occurred_at < ? ORDER BY occurred_at, id LIMIT ?)",
  idempotency:
    "DELETE FROM mailkeep_idempotency WHERE (project_id, key) IN (SELECT project_id, key FROM mailkeep_idempotency WHERE expires_at < ? ORDER BY expires_at, project_id, key LIMIT ?)",
  eventDeliveries:
    "DELETE FROM mailkeep_event_deliveries WHERE id IN (SELECT id FROM mailkeep_event_deliveries INDEXED BY mailkeep_event_deliveries_ended WHERE ended_at < ? ORDER BY ended_at, id LIMIT ?)",
  leases: `DELETE FROM mailkeep_leases WHERE worker IN (
  SELECT worker FROM mailkeep_leases WHERE lease_until < ?
  AND worker NOT IN (SELECT worker FROM mailkeep_deliveries WHERE due_at IS NOT NULL AND worker IS NOT NULL)
  AND worker NOT IN (SELECT worker FROM mailkeep_event_deliveries WHERE due_at IS NOT NULL AND worker IS NOT NULL)
  ORDER BY lease_until, worker LIMIT ?)`
}

export const sweep = (connection: Prepared, { kind, before, limit }: Sweep): number =>
  connection.statement(sweepSql[kind]).run(before, limit).changes
