/**
 * The lease of a worker, which says that its claims are valid.
 */
import type { Lease } from "@mailkeep/core/adapter"
import type { Prepared } from "./recordTable.ts"

export const renewLease = (connection: Prepared, { worker, renewedAt, leaseUntil }: Lease): void => {
  connection
    .statement(
      "INSERT INTO mailkeep_leases (worker, renewed_at, lease_until) VALUES (?, ?, ?) ON CONFLICT (worker) DO UPDATE SET renewed_at = excluded.renewed_at, lease_until = excluded.lease_until"
    )
    .run(worker, renewedAt, leaseUntil)
}

/** The condition of a delivery that no worker with a lease has. `now` is a parameter. */
export const unclaimedSql = (now: "?" | "@now"): string =>
  `(worker IS NULL OR worker NOT IN (SELECT worker FROM mailkeep_leases WHERE lease_until > ${now}))`
