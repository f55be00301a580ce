/**
 * Finds the deliveries that a claim takes, in the order of `roundRobin`, by indexes: it reads neither all due deliveries nor all that wait. Locks
 * nothing. Source: decisions 0043, 0044 and 0094.
 */
import type { Claim, Due, Lane } from "@mailkeep/core/adapter"
import { claimKinds, roundRobin } from "@mailkeep/core/adapter/evaluation"
import type { Connection } from "../database.ts"
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

/** A row of the search. */
interface Found extends DueRow {
  /**
   * `due`: what has been due longest, if the claim can take all that is due, or only one lane has waiting deliveries. Otherwise `first`: what has
   * been due longest in a lane, and `likely`: what a claim takes if the deliveries that are due longest belong to one project. `setBack`: no delivery.
   * The clock was set back after a delivery began to wait.
   */
  readonly part: "due" | "first" | "likely" | "setBack"
}

/** A project has two lanes. */
const likelyLanesMax = 2

/**
 * The statements of a claim. Each begins with these parameters: `now`, the status, and the ids to pass over.
 *
 * Then `search` takes the limit of the claim, and the last lane that was served (`''` and -1 for none). After those come the projects that can take
 * no more, and the number of lanes to find. The statement has all that a claim needs in most cases in one statement, because each statement costs the process as much as the server.
 * The server reads the later parts only if more is due than the claim takes, in more than one lane. It finds each next project by the index. Until it
 * vacuums the table, each search in a lane also passes the index entries of all that was handed over, so the search of one lane reads them once.
 */
const statementsFor = (schema: string, isSetBack: boolean) => {
  const deliveries = `${schema}.deliveries AS d`
  const isFree = `${dueSql(isSetBack)} AND ${unclaimedSql(schema, "d")} AND d.id <> ALL ($3::text[])`
  const waitingIn = (where: string) =>
    `EXISTS (SELECT FROM ${deliveries} WHERE d.status = $2 AND d.due_at IS NOT NULL AND ${where})`
  const nextProject = (where: string) =>
    `SELECT d.project_id FROM ${deliveries} WHERE d.status = $2 AND d.due_at IS NOT NULL AND ${where} ORDER BY d.project_id LIMIT 1`
  const longestDueIn = (lane: string, limit: string) => `SELECT ${columns} FROM ${deliveries}
  WHERE d.status = $2 AND d.project_id = ${lane}."projectId" AND d.bulk = ${lane}.bulk AND ${isFree}
  ORDER BY d.due_at, d.id LIMIT ${limit}`
  /** Each next project, from the first one of a condition on. */
  const projects = (name: string, first: string, isLast: string) => `${name} (project) AS (
  (${nextProject(`${first} AND (SELECT are_several FROM waiting)`)})
  UNION ALL
  SELECT (${nextProject("d.project_id > project")}) FROM ${name} WHERE project IS NOT NULL AND NOT ${isLast}
)`
  const firstsOf = (name: string, where: string, limit: string) => `SELECT first.*
  FROM (SELECT project AS "projectId", kinds.bulk FROM ${name} CROSS JOIN (VALUES (false), (true)) AS kinds (bulk)) AS lane
  CROSS JOIN LATERAL (${longestDueIn("lane", "1")}) AS first
  WHERE lane."projectId" IS NOT NULL AND lane."projectId" <> ALL ($7::text[]) AND ${where} LIMIT ${limit}`
  const isServed = `(lane."projectId" < $5 OR (lane."projectId" = $5 AND lane.bulk::int <= $6))`
  const setBack = isSetBack
    ? ""
    : `
UNION ALL SELECT 'setBack', NULL, NULL, NULL, NULL, NULL
WHERE EXISTS (SELECT FROM ${deliveries} WHERE d.status = $2 AND d.due_set_at > $1)`
  return {
    search: `WITH RECURSIVE due AS MATERIALIZED (
  SELECT ${columns} FROM ${deliveries} WHERE d.status = $2 AND ${isFree} ORDER BY d.due_at, d.id LIMIT $4::bigint + 1
), lanes AS MATERIALIZED (
  SELECT DISTINCT "projectId", bulk FROM due WHERE (SELECT count(*) FROM due) > $4::bigint
), waiting AS MATERIALIZED (
  SELECT count(*) > 1 OR coalesce(bool_or(
    ${waitingIn(`d.project_id < lane."projectId"`)}
    OR ${waitingIn(`d.project_id > lane."projectId"`)}
    OR ${waitingIn(`d.project_id = lane."projectId" AND d.bulk = NOT lane.bulk`)}
  ), false) AS are_several FROM lanes AS lane
), likely AS (
  SELECT found.* FROM lanes CROSS JOIN LATERAL (${longestDueIn("lanes", "$4::bigint")}) AS found
  WHERE (SELECT are_several FROM waiting) AND (SELECT count(*) FROM lanes) <= ${likelyLanesMax}
), ${projects("later_projects", "d.project_id >= $5", "false")}, later AS MATERIALIZED (
  ${firstsOf("later_projects", `NOT ${isServed}`, "$8::bigint")}
), ${projects("earlier_projects", "$5 <> ''", "project >= $5")}, earlier AS (
  ${firstsOf("earlier_projects", isServed, "$8::bigint - (SELECT count(*) FROM later)")}
)
SELECT 'due' AS part, due.* FROM due WHERE NOT (SELECT are_several FROM waiting)
UNION ALL SELECT 'first', later.* FROM later
UNION ALL SELECT 'first', earlier.* FROM earlier
UNION ALL SELECT 'likely', likely.* FROM likely${setBack}`,
    /** The deliveries of some lanes that have been due longest. */
    ofLanes: `SELECT due.* FROM ${jsonRows("$4", "lane", `"projectId" text, bulk boolean`)}
CROSS JOIN LATERAL (${longestDueIn("lane", "$5")}) AS due`
  }
}

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

  return async (connection, { kind, now, limit, rotation }, passedOver) => {
    const { after, perProject, underWay } = rotation
    if (perProject <= 0) return []
    const taken = (due: ReadonlyArray<DueRow>) => roundRobin(due, limit, rotation)
    const full = underWay.flatMap(({ projectId, count }) => (count >= perProject ? [projectId] : []))
    const find = <Row extends DueRow>(sql: string, ...values: ReadonlyArray<unknown>) =>
      connection.prepared<Row>(sql, [now, claimKinds[kind], passedOver, ...values])
    // Two lanes of each project: so many lanes belong to at least `limit` projects, and the first round takes one delivery of each.
    const lanesMax = 2 * limit
    const [project, lane] = after === null ? ["", -1] : [after.projectId, Number(after.bulk)]
    const search = (sql: string) => find<Found>(sql, limit, project, lane, full, lanesMax)

    const rows = await search(plain.search)
    const isSetBack = rows.some(({ part }) => part === "setBack")
    const found = Map.groupBy(isSetBack ? await search(setBack.search) : rows, ({ part }) => part)
    const {
      first: firsts,
      likely = [],
      due = []
    } = Object.fromEntries(found) as Partial<Record<Found["part"], ReadonlyArray<Found>>>
    if (firsts === undefined) return taken(due)
    const firstRound = taken(firsts)
    if (firstRound.length === limit) return firstRound
    const lanes = lanesOf(firsts)
    const isComplete = lanes.every((one) => likely.some((other) => isSameLane(one, other)))
    return taken(isComplete ? likely : await find((isSetBack ? setBack : plain).ofLanes, JSON.stringify(lanes), limit))
  }
}
