/**
 * The parts of a statement that mark rows for a worker. They pass over rows that another transaction has locked, and rows with another fencing token
 * than the search found: those were claimed meanwhile. Source: decision 0073.
 */
import type { RecordTable } from "../recordTable.ts"
import type { VersionCheck } from "../tableVersion.ts"

/** The worker of a row holds no live lease at `now`, the first parameter. */
export const unclaimedSql = (schema: string, alias: string): string =>
  `(${alias}.worker IS NULL OR NOT EXISTS (SELECT FROM ${schema}.leases AS lease WHERE lease.worker = ${alias}.worker AND lease.lease_until > $1))`

/** What a statement marks, as expressions of SQL. */
interface Marking {
  /** The table `r` of the rows as the search found them, in the order in which they are taken: `"projectId"`, `id`, `"dueAt"` and `"fencingToken"`. */
  readonly found: string
  readonly status: string
  readonly worker: string
  readonly leaseUntil: string
  /** At most so many rows are marked. */
  readonly limit: string
}

/**
 * Marks the first rows that are still as the search found them, in `marked`, and sets the lease of the worker if there are any. Marks none in tables
 * that this program cannot use. Each row is found by its key and locked alone, so that no row beyond the limit is locked.
 */
export const markingParts = <R>(
  schema: string,
  table: RecordTable<R>,
  { isUsable }: VersionCheck,
  { found, status, worker, leaseUntil, limit }: Marking
): string => `free AS MATERIALIZED (
  SELECT one.project_id, one.id FROM ${found} CROSS JOIN LATERAL (
    SELECT d.project_id, d.id FROM ${schema}.${table.name} AS d
    WHERE (d.project_id, d.id) = (r."projectId", r.id) AND d.status IS NOT DISTINCT FROM ${status}
      AND d.due_at IS NOT DISTINCT FROM r."dueAt" AND d.fencing_token = r."fencingToken"
      AND ${unclaimedSql(schema, "d")} AND ${isUsable}
    FOR NO KEY UPDATE OF d SKIP LOCKED
  ) AS one LIMIT ${limit}
), marked AS (
  UPDATE ${schema}.${table.name} AS t SET worker = ${worker}, fencing_token = t.fencing_token + 1
  FROM free WHERE (t.project_id, t.id) = (free.project_id, free.id)
  RETURNING t.*
), lease AS (
  INSERT INTO ${schema}.leases (worker, renewed_at, lease_until)
  SELECT ${worker}, $1, ${leaseUntil} WHERE EXISTS (SELECT FROM free)
  ON CONFLICT (worker) DO UPDATE SET renewed_at = excluded.renewed_at, lease_until = excluded.lease_until
)`
