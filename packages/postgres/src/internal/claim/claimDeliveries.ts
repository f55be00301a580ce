/**
 * Claims. A claim first finds what it takes, without locks, and then marks these rows in one statement. The statement passes over rows that another
 * transaction has locked, and rows with another fencing token than before: those were claimed meanwhile. Source: decision 0073.
 */
import type { Claim, ClaimKind, Delivery, EventDelivery, EventDeliveryClaim, Rotation } from "@mailkeep/core/adapter"
import { claimKinds, longestDueFirst } from "@mailkeep/core/adapter/evaluation"
import type { Connection, Database } from "../database.ts"
import { inWriteTransaction } from "../database.ts"
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
 * Marks the first rows that are still as the search found them, and sets the lease of the worker if there are any. Marks none in tables that this program
 * cannot use. No index serves `IS NOT DISTINCT FROM`, so that the server finds the rows by their ids. By the status, it would read all that is due.
 */
const markSql = <R>(
  schema: string,
  table: RecordTable<R>,
  { isUsable }: VersionCheck
): string => `WITH free AS MATERIALIZED (
  SELECT d.project_id, d.id FROM ${schema}.${table.name} AS d
  JOIN ${jsonRows("$2", "r", `n integer, "projectId" text, id text, "dueAt" bigint, "fencingToken" bigint`)}
    ON (d.project_id, d.id) = (r."projectId", r.id)
  WHERE d.status IS NOT DISTINCT FROM $5 AND d.due_at IS NOT DISTINCT FROM r."dueAt" AND d.fencing_token = r."fencingToken"
    AND ${unclaimedSql(schema, "d")} AND ${isUsable}
  ORDER BY r.n LIMIT $6 FOR NO KEY UPDATE OF d SKIP LOCKED
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
  candidates: ReadonlyArray<Candidate>,
  limit: number
) => Promise<ReadonlyArray<R>>

const makeMark = <R extends object>(
  schema: string,
  table: RecordTable<R>,
  status: string,
  versionCheck: VersionCheck
): Mark<R> => {
  const sql = markSql(schema, table, versionCheck)
  return (connection, { now, worker, leaseUntil }, candidates, limit) =>
    connection.prepared<R>(sql, [
      now,
      JSON.stringify(
        candidates.map(({ projectId, id, dueAt, fencingToken }, n) => ({ n, projectId, id, dueAt, fencingToken }))
      ),
      worker,
      leaseUntil,
      status,
      limit
    ])
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

/** How the rows of a claim are found and marked. */
interface ClaimSteps<R> {
  /** Finds up to so many rows beside those that the claim has, without the ids to pass over. */
  readonly search: (
    connection: Connection,
    limit: number,
    passedOver: ReadonlyArray<string>,
    claimed: ReadonlyArray<R>
  ) => Promise<ReadonlyArray<Candidate>>
  /** Marks up to so many of them. */
  readonly mark: (
    connection: Connection,
    limit: number,
    candidates: ReadonlyArray<Candidate>
  ) => Promise<ReadonlyArray<R>>
}

/** Other workers can take rows between the search and the mark. So many more rows than it needs does a search find at the most. */
const spareMax = 64

/** The rows that a claim passed over, because other workers have taken them. */
const takenByOthers = (candidates: ReadonlyArray<Candidate>, isMarked: (one: Candidate) => boolean, limit: number) => {
  const isFull = candidates.filter(isMarked).length === limit
  const looked = isFull ? candidates.slice(0, candidates.findLastIndex(isMarked)) : candidates
  return looked.filter((one) => !isMarked(one)).length
}

/** Searches and marks until a claim has `limit` rows or finds no more. Returns the rows in the order of the searches. */
const makeClaimRows = (database: Database, versionCheck: VersionCheck) => {
  /** How many rows the next search finds beyond its limit. Depends on how many rows others took meanwhile. */
  let spare = 0

  /** The end of the transaction is sent behind the mark. */
  const searchAndMark = <R extends Candidate>(
    { search, mark }: ClaimSteps<R>,
    limit: number,
    passedOver: ReadonlyArray<string>,
    claimed: ReadonlyArray<R>
  ) =>
    inWriteTransaction(database, async (connection) => {
      const candidates = await search(connection, limit + spare, passedOver, claimed)
      const marked = candidates.length === 0 ? Promise.resolve([]) : mark(connection, limit, candidates)
      return { value: marked.then((rows) => ({ candidates, rows })), isKept: true }
    })

  return async <R extends Candidate>(limit: number, steps: ClaimSteps<R>): Promise<ReadonlyArray<R>> => {
    const claimed: Array<R> = []
    const passedOver: Array<string> = []
    for (let searches = 0; searches < searchesMax && claimed.length < limit; searches++) {
      try {
        const wanted = limit - claimed.length
        const { candidates, rows } = await searchAndMark(steps, wanted, passedOver, claimed)
        if (candidates.length === 0) break
        if (rows.length === 0) await database.use(versionCheck.run)
        const marked = new Map(rows.map((row) => [keyOf(row), row]))
        claimed.push(...candidates.flatMap((one) => marked.get(keyOf(one)) ?? []))
        const taken = takenByOthers(candidates, (one) => marked.has(keyOf(one)), wanted)
        spare = taken === 0 ? spare >> 1 : Math.min(spareMax, Math.max(spare, 2 * taken))
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
}

export const makeClaims = (database: Database, schema: string) => {
  const claimOrder = makeClaimOrder(schema)
  const versionCheck = makeVersionCheck(schema, schemaVersion)
  const claimDeliveries = makeClaimRows(database, versionCheck)
  const claimEvents = makeClaimRows(database, versionCheck)
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
      claimDeliveries<Delivery>(claim.limit, {
        search: (connection, limit, passedOver, claimed) =>
          claimOrder(connection, { ...claim, limit, rotation: afterClaimed(claim.rotation, claimed) }, passedOver),
        mark: (connection, limit, candidates) => marks[claim.kind](connection, claim, candidates, limit)
      }),
    claimEventDeliveries: async (claim: EventDeliveryClaim): Promise<ReadonlyArray<EventDelivery>> => {
      const rows = await claimEvents<EventDelivery>(claim.limit, {
        search: (connection, limit, passedOver) =>
          connection.prepared<Candidate>(dueEventsSql, [claim.now, claim.subscriber, passedOver, limit]),
        mark: (connection, limit, candidates) => markEventDeliveries(connection, claim, candidates, limit)
      })
      return rows.toSorted(longestDueFirst)
    }
  }
}
