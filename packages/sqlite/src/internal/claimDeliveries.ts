/**
 * Claims and sweeps.
 */
import type { Claim, Delivery, EventPush, PushClaim, Sweep } from "@mailkeep/core/domain"
import { claimKinds, longestDueFirst } from "@mailkeep/core/domain"
import { renewLease } from "./applyChange.ts"
import type { Prepared } from "./recordTable.ts"
import { deliveries, pushes } from "./tables.ts"

const claimSql = `UPDATE deliveries SET worker = ?, token = token + 1
WHERE id IN (
  SELECT id FROM deliveries INDEXED BY deliveries_due
  WHERE status = ? AND due_at <= ? AND (worker IS NULL OR worker NOT IN (SELECT worker FROM leases WHERE lease_until > ?))
  ORDER BY due_at, id LIMIT ?
)
RETURNING *`

export const claimDeliveries = (
  on: Prepared,
  { kind, now, limit, worker, leaseUntil }: Claim
): ReadonlyArray<Delivery> => {
  const rows = on.statement(claimSql).all(worker, claimKinds[kind], now, now, limit)
  if (rows.length > 0) renewLease(on, worker, leaseUntil)
  return rows.map(deliveries.fromRow).toSorted(longestDueFirst)
}

const claimPushesSql = `UPDATE pushes SET worker = ?, token = token + 1
WHERE id IN (
  SELECT id FROM pushes INDEXED BY pushes_due
  WHERE consumer = ? AND due_at <= ? AND (worker IS NULL OR worker NOT IN (SELECT worker FROM leases WHERE lease_until > ?))
  ORDER BY due_at, id LIMIT ?
)
RETURNING *`

export const claimPushes = (
  on: Prepared,
  { consumer, now, limit, worker, leaseUntil }: PushClaim
): ReadonlyArray<EventPush> => {
  const rows = on.statement(claimPushesSql).all(worker, consumer, now, now, limit)
  if (rows.length > 0) renewLease(on, worker, leaseUntil)
  return rows.map(pushes.fromRow).toSorted(longestDueFirst)
}

const sweepSql: Readonly<Record<Sweep["kind"], string>> = {
  events:
    "DELETE FROM events WHERE id IN (SELECT id FROM events WHERE occurred_at < ? ORDER BY occurred_at, id LIMIT ?)",
  idempotency:
    "DELETE FROM idempotency WHERE (project_id, key) IN (SELECT project_id, key FROM idempotency WHERE expires_at < ? ORDER BY expires_at, project_id, key LIMIT ?)",
  pushes:
    "DELETE FROM pushes WHERE id IN (SELECT id FROM pushes INDEXED BY pushes_settled WHERE settled_at < ? ORDER BY settled_at, id LIMIT ?)",
  leases: `DELETE FROM leases WHERE worker IN (
  SELECT worker FROM leases WHERE lease_until < ?
  AND worker NOT IN (SELECT worker FROM deliveries WHERE due_at IS NOT NULL AND worker IS NOT NULL)
  AND worker NOT IN (SELECT worker FROM pushes WHERE due_at IS NOT NULL AND worker IS NOT NULL)
  ORDER BY lease_until, worker LIMIT ?)`
}

export const sweep = (on: Prepared, { kind, before, limit }: Sweep): number =>
  on.statement(sweepSql[kind]).run(before, limit).changes
