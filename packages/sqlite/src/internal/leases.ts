/**
 * The lease of a worker.
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
