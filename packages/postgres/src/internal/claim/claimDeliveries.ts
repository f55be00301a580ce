/**
 * Claims. A claim first finds what it takes, without locks, and then marks these rows in one statement. The statement passes over rows that another
 * transaction has locked, and rows with another fencing token than before: those were claimed meanwhile. Source: decision 0073.
 */
import type { Claim, ClaimKind, Delivery, EventDelivery, EventDeliveryClaim, Rotation } from "@mailkeep/core/adapter"
import { claimKinds, longestDueFirst } from "@mailkeep/core/adapter/evaluation"
import type { Connection, Database } from "../database.ts"
import { schemaVersion } from "../migrations.ts"
import type { RecordTable } from "../recordTable.ts"
import { jsonRows } from "../recordTable.ts"
import { deliveries, eventDeliveries } from "../tables.ts"
import type { VersionCheck } from "../tableVersion.ts"
import { makeVersionCheck } from "../tableVersion.ts"
import { makeClaimOrder, unclaimedSql } from "./claimOrder.ts"

/** A row as the search found it. */
interface Candidate {
  readonly projectId: string
  readonly id: string
  readonly dueAt: number | null
  readonly fencingToken: number
}

interface Marking {
  readonly now: number
  readonly worker: string
  readonly leaseUntil: number
}

/** Other workers can take rows between the search and the mark. So often the claim searches for others. */
const searchesMax = 5

/**
 * Marks the rows that are still as the search found them, and sets the lease of the worker if there are any. Marks none in tables that this program
 * cannot use.
 */
const markSql = <R>(
  schema: string,
  table: RecordTable<R>,
  { isUsable }: VersionCheck
): string => `WITH free AS MATERIALIZED (
  SELECT d.project_id, d.id FROM ${schema}.${table.name} AS d
  JOIN ${jsonRows("$2", "r", `"projectId" text, id text, "dueAt" bigint, "fencingToken" bigint`)}
    ON (d.project_id, d.id) = (r."projectId", r.id)
  WHERE (d.status, d.due_at, d.fencing_token) = ($5, r."dueAt", r."fencingToken") AND ${unclaimedSql(schema, "d")} AND ${isUsable}
  FOR NO KEY UPDATE OF d SKIP LOCKED
), marked AS (
  UPDATE ${schema}.${table.name} AS t SET worker = $3, fencing_token = t.fencing_token + 1
  FROM free WHERE (t.project_id, t.id) = (free.project_id, free.id)
  RETURNING t.*
), lease AS (
  INSERT INTO ${schema}.leases (worker, renewed_at, lease_until)
  SELECT $3, $1, $4 WHERE EXISTS (SELECT FROM free)
  ON CONFLICT (worker) DO UPDATE SET renewed_at = excluded.renewed_at, lease_until = excluded.lease_until
)
SELECT ${table.columns("marked")} FROM marked`

type Mark<R> = (
  connection: Connection,
  marking: Marking,
  candidates: ReadonlyArray<Candidate>
) => Promise<ReadonlyArray<R>>

const makeMark =
  <R extends object>(schema: string, table: RecordTable<R>, status: string, versionCheck: VersionCheck): Mark<R> =>
  async (connection, { now, worker, leaseUntil }, candidates) => {
    const rows = await connection.prepared<R>(markSql(schema, table, versionCheck), [
      now,
      JSON.stringify(
        candidates.map(({ projectId, id, dueAt, fencingToken }) => ({ projectId, id, dueAt, fencingToken }))
      ),
      worker,
      leaseUntil,
      status
    ])
    if (rows.length === 0) await versionCheck.run(connection)
    return rows
  }

/** The rotation of the next search: what the claim has marked is under way. */
const afterClaimed = (rotation: Rotation, claimed: ReadonlyArray<Delivery>): Rotation => {
  const last = claimed.at(-1)
  if (last === undefined) return rotation
  const counts = new Map(rotation.underWay.map(({ projectId, count }) => [projectId, count]))
  for (const { projectId } of claimed) counts.set(projectId, (counts.get(projectId) ?? 0) + 1)
  return {
    ...rotation,
    after: { projectId: last.projectId, bulk: last.bulk },
    underWay: [...counts].map(([projectId, count]) => ({ projectId, count }))
  }
}

const keyOf = ({ projectId, id }: Candidate): string => `${projectId}/${id}`

/** Searches and marks until the claim has `limit` rows or finds no more. Returns the rows in the order of the searches. */
const claimRows = async <R extends Candidate>(
  limit: number,
  search: (passedOver: ReadonlyArray<string>, claimed: ReadonlyArray<R>) => Promise<ReadonlyArray<Candidate>>,
  mark: (candidates: ReadonlyArray<Candidate>) => Promise<ReadonlyArray<R>>
): Promise<ReadonlyArray<R>> => {
  const claimed: Array<R> = []
  const passedOver: Array<string> = []
  for (let searches = 0; searches < searchesMax && claimed.length < limit; searches++) {
    try {
      const candidates = await search(passedOver, claimed)
      if (candidates.length === 0) break
      const marked = new Map((await mark(candidates)).map((row) => [keyOf(row), row]))
      claimed.push(...candidates.flatMap((one) => marked.get(keyOf(one)) ?? []))
      if (marked.size === candidates.length) break
      passedOver.push(...candidates.map(({ id }) => id))
    } catch (cause) {
      // The rows of the earlier searches belong to the worker already.
      if (claimed.length > 0) break
      throw cause
    }
  }
  return claimed
}

export const makeClaims = (database: Database, schema: string) => {
  const claimOrder = makeClaimOrder(schema)
  const versionCheck = makeVersionCheck(schema, schemaVersion)
  const marks = Object.fromEntries(
    Object.entries(claimKinds).map(([kind, status]) => [
      kind,
      makeMark<Delivery>(schema, deliveries, status, versionCheck)
    ])
  ) as Readonly<Record<ClaimKind, Mark<Delivery>>>
  const markEventDeliveries = makeMark<EventDelivery>(schema, eventDeliveries, "pending", versionCheck)
  const dueEventsSql = `SELECT d.project_id AS "projectId", d.id, d.due_at AS "dueAt", d.fencing_token AS "fencingToken" FROM ${schema}.event_deliveries AS d
WHERE d.subscriber = $2 AND d.due_at IS NOT NULL AND d.due_at <= $1 AND ${unclaimedSql(schema, "d")} AND d.id <> ALL ($3::text[])
ORDER BY d.due_at, d.id LIMIT $4`

  return {
    claim: (claim: Claim): Promise<ReadonlyArray<Delivery>> =>
      database.use((connection) =>
        claimRows<Delivery>(
          claim.limit,
          (passedOver, claimed) =>
            claimOrder(
              connection,
              { ...claim, limit: claim.limit - claimed.length, rotation: afterClaimed(claim.rotation, claimed) },
              passedOver
            ),
          (candidates) => marks[claim.kind](connection, claim, candidates)
        )
      ),
    claimEventDeliveries: (claim: EventDeliveryClaim): Promise<ReadonlyArray<EventDelivery>> =>
      database.use(async (connection) => {
        const rows = await claimRows<EventDelivery>(
          claim.limit,
          (passedOver, { length }) =>
            connection.prepared<Candidate>(dueEventsSql, [
              claim.now,
              claim.subscriber,
              passedOver,
              claim.limit - length
            ]),
          (candidates) => markEventDeliveries(connection, claim, candidates)
        )
        return rows.toSorted(longestDueFirst)
      })
  }
}
