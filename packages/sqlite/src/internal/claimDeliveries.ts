/**
 * Claims and sweeps.
 */
import type { Claim, Delivery, Due, EventDelivery, EventDeliveryClaim, Sweep } from "@mailkeep/core/adapter"
import { claimKinds, longestDueFirst } from "@mailkeep/core/adapter"
import { renewLease } from "./applyChange.ts"
import type { Prepared } from "./recordTable.ts"
import { deliveries, eventDeliveries } from "./tables.ts"

/** Claims the rows that have been due longest and that no worker with a live lease has. `among` selects rows by one column. */
const claimSql = (
  table: string,
  dueIndex: string,
  among: string
) => `UPDATE ${table} SET worker = ?, fencing_token = fencing_token + 1
WHERE id IN (
  SELECT id FROM ${table} INDEXED BY ${dueIndex}
  WHERE ${among} = ? AND due_at <= ? AND (worker IS NULL OR worker NOT IN (SELECT worker FROM mailkeep_leases WHERE lease_until > ?))
  ORDER BY due_at, id LIMIT ?
)
RETURNING *`

const claiming =
  <A extends Due>(sql: string, records: { readonly fromRow: (row: unknown) => A }) =>
  (connection: Prepared, among: string, { now, limit, worker, leaseUntil }: Omit<Claim, "kind">): ReadonlyArray<A> => {
    const rows = connection.statement(sql).all(worker, among, now, now, limit)
    if (rows.length > 0) renewLease(connection, worker, leaseUntil)
    return rows.map(records.fromRow).toSorted(longestDueFirst)
  }

const claimAmongDeliveries = claiming(claimSql("mailkeep_deliveries", "mailkeep_deliveries_due", "status"), deliveries)
const claimAmongEventDeliveries = claiming(
  claimSql("mailkeep_event_deliveries", "mailkeep_event_deliveries_due", "subscriber"),
  eventDeliveries
)

export const claimDeliveries = (connection: Prepared, claim: Claim): ReadonlyArray<Delivery> =>
  claimAmongDeliveries(connection, claimKinds[claim.kind], claim)

export const claimEventDeliveries = (connection: Prepared, claim: EventDeliveryClaim): ReadonlyArray<EventDelivery> =>
  claimAmongEventDeliveries(connection, claim.subscriber, claim)

const sweepSql: Readonly<Record<Sweep["kind"], string>> = {
  events:
    "DELETE FROM mailkeep_events WHERE id IN (SELECT id FROM mailkeep_events WHERE occurred_at < ? ORDER BY occurred_at, id LIMIT ?)",
  idempotency:
    "DELETE FROM mailkeep_idempotency WHERE (project_id, key) IN (SELECT project_id, key FROM mailkeep_idempotency WHERE expires_at < ? ORDER BY expires_at, project_id, key LIMIT ?)",
  eventDeliveries:
    "DELETE FROM mailkeep_event_deliveries WHERE id IN (SELECT id FROM mailkeep_event_deliveries INDEXED BY mailkeep_event_deliveries_settled WHERE settled_at < ? ORDER BY settled_at, id LIMIT ?)",
  leases: `DELETE FROM mailkeep_leases WHERE worker IN (
  SELECT worker FROM mailkeep_leases WHERE lease_until < ?
  AND worker NOT IN (SELECT worker FROM mailkeep_deliveries WHERE due_at IS NOT NULL AND worker IS NOT NULL)
  AND worker NOT IN (SELECT worker FROM mailkeep_event_deliveries WHERE due_at IS NOT NULL AND worker IS NOT NULL)
  ORDER BY lease_until, worker LIMIT ?)`
}

export const sweep = (connection: Prepared, { kind, before, limit }: Sweep): number =>
  connection.statement(sweepSql[kind]).run(before, limit).changes
