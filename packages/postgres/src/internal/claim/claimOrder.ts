/**
 * Finds the deliveries that a claim takes, in the order of `roundRobin`, by indexes: it reads neither all due deliveries nor all that wait. Locks
 * nothing. Source: decisions 0043 and 0044.
 */
import type { Claim, Due, Lane } from "@mailkeep/core/adapter"
import { claimKinds, roundRobin } from "@mailkeep/core/adapter/evaluation"
import type { Connection } from "../database.ts"
import { settleAll } from "../database.ts"
import { jsonRows } from "../recordTable.ts"

/** A due delivery with its lane, and the fencing token of the last claim. */
interface DueRow extends Due, Lane {
  readonly fencingToken: number
}

/** The worker of a row holds no live lease at `now`, the first parameter. */
export const unclaimedSql = (schema: string, alias: string): string =>
  `(${alias}.worker IS NULL OR NOT EXISTS (SELECT FROM ${schema}.leases AS lease WHERE lease.worker = ${alias}.worker AND lease.lease_until > $1))`

/** `isDue` in SQL. The second part is left out while it can be true of no delivery, so that the index bounds the search. */
const dueSql = (isSetBack: boolean): string =>
  isSetBack
    ? "d.due_at IS NOT NULL AND (d.due_at <= $1 OR d.due_set_at > $1)"
    : "d.due_at IS NOT NULL AND d.due_at <= $1"

const columns = `d.id, d.project_id AS "projectId", d.bulk, d.due_at AS "dueAt", d.fencing_token AS "fencingToken"`

/** The statements of a claim. Their parameters are `now`, the status, the ids to pass over, and what each needs. */
const statementsFor = (schema: string, isSetBack: boolean) => {
  const deliveries = `${schema}.deliveries AS d`
  const isFree = `${dueSql(isSetBack)} AND ${unclaimedSql(schema, "d")} AND d.id <> ALL ($3::text[])`
  const nextProject = (comparison: string) =>
    `SELECT d.project_id FROM ${deliveries} WHERE d.status = $2 AND d.due_at IS NOT NULL AND d.project_id ${comparison} ORDER BY d.project_id LIMIT 1`
  return {
    /** Due deliveries of all lanes, in no order. */
    anyDue: `SELECT ${columns} FROM ${deliveries} WHERE d.status = $2 AND ${isFree} ORDER BY d.due_at LIMIT $4`,
    /** The deliveries of some lanes that have been due longest. */
    ofLanes: `SELECT due.* FROM ${jsonRows("$4", "lane", `"projectId" text, bulk boolean`)} CROSS JOIN LATERAL (
  SELECT ${columns} FROM ${deliveries}
  WHERE d.status = $2 AND d.project_id = lane."projectId" AND d.bulk = lane.bulk AND ${isFree}
  ORDER BY d.due_at, d.id LIMIT $5
) AS due`,
    /**
     * Each due lane after one lane and up to another, in order, with the delivery that has been due longest. Finds each next project by the index,
     * and stops after a number of lanes. Without the full projects.
     */
    firstOfLanes: `WITH RECURSIVE projects (project) AS (
  (${nextProject(">= $4")})
  UNION ALL
  SELECT (${nextProject("> project")}) FROM projects WHERE project IS NOT NULL AND ($6::text IS NULL OR project < $6)
)
SELECT first.* FROM projects CROSS JOIN (VALUES (false), (true)) AS lanes (bulk) CROSS JOIN LATERAL (
  SELECT ${columns} FROM ${deliveries}
  WHERE d.status = $2 AND d.project_id = project AND d.bulk = lanes.bulk AND ${isFree}
  ORDER BY d.due_at, d.id LIMIT 1
) AS first
WHERE project IS NOT NULL AND project <> ALL ($8::text[])
  AND (project > $4 OR (project = $4 AND lanes.bulk::int > $5))
  AND ($6::text IS NULL OR project < $6 OR (project = $6 AND lanes.bulk::int <= $7))
LIMIT $9`
  }
}

/** A project has two lanes. */
const likelyLanesMax = 2

const isSameLane = (one: Lane, other: Lane): boolean => one.projectId === other.projectId && one.bulk === other.bulk

const lanesOf = (rows: ReadonlyArray<DueRow>): ReadonlyArray<Lane> =>
  rows
    .map(({ projectId, bulk }) => ({ projectId, bulk }))
    .filter((lane, at, all) => all.findIndex((one) => isSameLane(one, lane)) === at)

export type ClaimOrder = (
  connection: Connection,
  claim: Claim,
  passedOver: ReadonlyArray<string>
) => Promise<ReadonlyArray<DueRow>>

/** Returns a function that finds what the claim takes, in the order in which it takes it, without the ids to pass over. */
export const makeClaimOrder = (schema: string): ClaimOrder => {
  const [plain, setBack] = [statementsFor(schema, false), statementsFor(schema, true)]
  /** The clock of the claim was set back after a delivery of this status began to wait. */
  const setBackSql = `SELECT 1 FROM ${schema}.deliveries WHERE status = $1 AND due_set_at > $2 LIMIT 1`

  return async (connection, { kind, now, limit, rotation }, passedOver) => {
    const { after, perProject, underWay } = rotation
    if (perProject <= 0) return []
    const status = claimKinds[kind]
    const taken = (due: ReadonlyArray<DueRow>) => roundRobin(due, limit, rotation)
    const [isSetBackRows, dueRows] = await settleAll([
      connection.prepared(setBackSql, [status, now]),
      connection.prepared<DueRow>(plain.anyDue, [now, status, passedOver, limit + 1])
    ])
    const statements = isSetBackRows!.length > 0 ? setBack : plain
    const find = (sql: string, ...values: ReadonlyArray<unknown>) =>
      connection.prepared<DueRow>(sql, [now, status, passedOver, ...values])
    const due = statements === setBack ? await find(setBack.anyDue, limit + 1) : (dueRows as ReadonlyArray<DueRow>)
    if (due.length <= limit) return taken(due)

    const full = underWay.flatMap(({ projectId, count }) => (count >= perProject ? [projectId] : []))
    const lanesAmong = (from: Lane | null, to: Lane | null, lanes: number) =>
      find(
        statements.firstOfLanes,
        from?.projectId ?? "",
        from === null ? -1 : Number(from.bulk),
        to?.projectId ?? null,
        to === null ? null : Number(to.bulk),
        full,
        lanes
      )
    const ofLanes = (lanes: ReadonlyArray<Lane>) => find(statements.ofLanes, JSON.stringify(lanes), limit)
    // Two lanes of each project: so many lanes belong to at least `limit` projects, and the first round takes one delivery of each.
    const lanesMax = 2 * limit
    // Where one project has all that is due, its deliveries come with the search for other lanes.
    const likely = lanesOf(due)
    const isLikely = likely.length <= likelyLanesMax
    const later = lanesAmong(after, null, lanesMax)
    const earlierMax = isLikely ? lanesMax : lanesMax - (await later).length
    const [laterLanes, earlierLanes, ofLikely] = await settleAll([
      later,
      after === null || earlierMax === 0 ? [] : lanesAmong(null, after, earlierMax),
      isLikely ? ofLanes(likely) : []
    ])
    const firsts = [...laterLanes!, ...earlierLanes!].slice(0, lanesMax)
    const firstRound = taken(firsts)
    if (firstRound.length === limit || firsts.length === 0) return firstRound
    const lanes = lanesOf(firsts)
    const isComplete = isLikely && lanes.every((lane) => likely.some((one) => isSameLane(one, lane)))
    return taken(isComplete ? ofLikely! : await ofLanes(lanes))
  }
}
