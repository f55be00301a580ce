/**
 * Claims and sweeps.
 */
import type { Claim, Delivery, Due, EventPush, PushClaim, Sweep } from "@mailkeep/core/domain"
import { claimKinds, longestDueFirst } from "@mailkeep/core/domain"
import { renewLease } from "./applyChange.ts"
import type { Prepared } from "./recordTable.ts"
import { deliveries, pushes } from "./tables.ts"

/** Stamps the rows that have been due longest and are held by nobody alive. `among` picks by one column. */
const claimSql = (table: string, dueIndex: string, among: string) => `UPDATE ${table} SET worker = ?, token = token + 1
WHERE id IN (
  SELECT id FROM ${table} INDEXED BY ${dueIndex}
  WHERE ${among} = ? AND due_at <= ? AND (worker IS NULL OR worker NOT IN (SELECT worker FROM leases WHERE lease_until > ?))
  ORDER BY due_at, id LIMIT ?
)
RETURNING *`

const claiming =
  <A extends Due>(sql: string, records: { readonly fromRow: (row: unknown) => A }) =>
  (on: Prepared, among: string, { now, limit, worker, leaseUntil }: Omit<Claim, "kind">): ReadonlyArray<A> => {
    const rows = on.statement(sql).all(worker, among, now, now, limit)
    if (rows.length > 0) renewLease(on, worker, leaseUntil)
    return rows.map(records.fromRow).toSorted(longestDueFirst)
  }

const claimAmongDeliveries = claiming(claimSql("deliveries", "deliveries_due", "status"), deliveries)
const claimAmongPushes = claiming(claimSql("pushes", "pushes_due", "consumer"), pushes)

export const claimDeliveries = (on: Prepared, claim: Claim): ReadonlyArray<Delivery> =>
  claimAmongDeliveries(on, claimKinds[claim.kind], claim)

export const claimPushes = (on: Prepared, claim: PushClaim): ReadonlyArray<EventPush> =>
  claimAmongPushes(on, claim.consumer, claim)

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
