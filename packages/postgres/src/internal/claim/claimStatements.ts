/**
 * The statements of a claim of deliveries. They find rows by indexes: they read neither all due deliveries nor all that wait.
 * Source: decisions 0043, 0044, 0073 and 0094.
 */
import type { Due, Lane } from "@mailkeep/core/adapter"
import { jsonRows } from "../recordTable.ts"
import { deliveries } from "../tables.ts"
import type { VersionCheck } from "../tableVersion.ts"
import { markingParts, unclaimedSql } from "./marking.ts"

/** A due delivery with its lane, and the fencing token of the last claim. */
export interface DueRow extends Due, Lane {
  readonly fencingToken: number
}

/**
 * What a row of the search is. `due`: what has been due longest, if the claim can take all that is due, or only one lane has waiting deliveries.
 * Otherwise `first`: what has been due longest in a lane, and `likely`: what a claim takes if the deliveries that are due longest belong to one project.
 * `setBack`: no delivery. The clock was set back after a delivery began to wait. `atOnce`: no delivery. The search has marked what the claim takes.
 * `marked`: a delivery that the search has marked.
 */
export type Part = "due" | "first" | "likely" | "setBack" | "atOnce" | "marked"

/** `isDue` in SQL. The second part is left out while it can be true of no delivery, so that the index bounds the search. */
const dueSql = (isSetBack: boolean): string =>
  isSetBack
    ? "d.due_at IS NOT NULL AND (d.due_at <= $1 OR d.due_set_at > $1)"
    : "d.due_at IS NOT NULL AND d.due_at <= $1"

const columns = `d.id, d.project_id AS "projectId", d.bulk, d.due_at AS "dueAt", d.fencing_token AS "fencingToken"`

/** A project has two lanes. */
const likelyLanesMax = 2

/** Parts that find rows in the tables of one schema. They begin with the parameters `now`, the status, and the ids to pass over. */
const findingParts = (schema: string, isSetBack: boolean) => {
  const table = `${schema}.deliveries AS d`
  const isFree = `${dueSql(isSetBack)} AND ${unclaimedSql(schema, "d")} AND d.id <> ALL ($3::text[])`
  const nextProject = (where: string) =>
    `SELECT d.project_id FROM ${table} WHERE d.status = $2 AND d.due_at IS NOT NULL AND ${where} ORDER BY d.project_id LIMIT 1`
  return {
    longestDue: (limit: string) =>
      `SELECT ${columns} FROM ${table} WHERE d.status = $2 AND ${isFree} ORDER BY d.due_at, d.id LIMIT ${limit}`,
    longestDueIn: (lane: string, limit: string) => `SELECT ${columns} FROM ${table}
  WHERE d.status = $2 AND d.project_id = ${lane}."projectId" AND d.bulk = ${lane}.bulk AND ${isFree}
  ORDER BY d.due_at, d.id LIMIT ${limit}`,
    waitingIn: (where: string) =>
      `EXISTS (SELECT FROM ${table} WHERE d.status = $2 AND d.due_at IS NOT NULL AND ${where})`,
    isAnySetBack: isSetBack ? "false" : `EXISTS (SELECT FROM ${table} WHERE d.status = $2 AND d.due_set_at > $1)`,
    /** Each next project, from the first one of a condition on. */
    projects: (name: string, first: string, isLast: string) => `${name} (project) AS (
  (${nextProject(`${first} AND (SELECT are_several FROM waiting)`)})
  UNION ALL
  SELECT (${nextProject("d.project_id > project")}) FROM ${name} WHERE project IS NOT NULL AND NOT ${isLast}
)`
  }
}

/**
 * Finds what a claim takes. The first parameters are `now`, the status, and the ids to pass over. Then come the number of rows to find, and the project
 * that was served last (`''` for none). After those come the projects that can take no more, and the number of lanes to find. The last ones are the
 * worker, the end of its lease, the limit of the claim, `underWay` as JSON, and the limit for each project.
 *
 * The statement has all that a claim needs in most cases, because each statement costs the process as much as the server. It marks the rows where
 * the order of the lanes does not matter: one lane has all that is due, or the claim takes everything. Other workers can then take hardly a row
 * between search and mark. The server reads the later parts only if more is due than the claim takes, in more than one lane. It finds each next project by the
 * index. Until it vacuums the table, each search in a lane also passes the index entries of all that was handed over, so the search of one lane reads them once.
 */
const searchSql = (schema: string, versionCheck: VersionCheck, isSetBack: boolean): string => {
  const { longestDue, longestDueIn, waitingIn, isAnySetBack, projects } = findingParts(schema, isSetBack)
  const firstsOf = (name: string, where: string, limit: string) => `SELECT first.*
  FROM (SELECT project AS "projectId", kinds.bulk FROM ${name} CROSS JOIN (VALUES (false), (true)) AS kinds (bulk)) AS lane
  CROSS JOIN LATERAL (${longestDueIn("lane", "1")}) AS first
  WHERE lane."projectId" IS NOT NULL AND lane."projectId" <> ALL ($6::text[]) AND ${where} LIMIT ${limit}`
  const marking = markingParts(schema, deliveries, versionCheck, {
    found: "due AS r",
    status: "$2",
    worker: "$8",
    leaseUntil: "$9",
    limit: "(SELECT allowed FROM at_once)"
  })
  const part = (name: Part, table: string, where = "true") =>
    `SELECT '${name}' AS part, to_json(one) AS row FROM ${table} AS one WHERE ${where}`
  return `WITH RECURSIVE due AS MATERIALIZED (
  ${longestDue("$4::bigint + 1")}
), lanes AS MATERIALIZED (
  SELECT DISTINCT "projectId", bulk FROM due WHERE (SELECT count(*) FROM due) > $4::bigint
), waiting AS MATERIALIZED (
  SELECT count(*) > 1 OR coalesce(bool_or(
    ${waitingIn(`d.project_id < lane."projectId"`)}
    OR ${waitingIn(`d.project_id > lane."projectId"`)}
    OR ${waitingIn(`d.project_id = lane."projectId" AND d.bulk = NOT lane.bulk`)}
  ), false) AS are_several, ${isAnySetBack} AS is_set_back FROM lanes AS lane
), due_projects AS (
  SELECT project.*, greatest(0, $12::bigint - coalesce(u.count, 0)) AS left_to_take
  FROM (SELECT "projectId", count(*) AS due, count(DISTINCT bulk) AS lanes FROM due GROUP BY "projectId") AS project
  LEFT JOIN ${jsonRows("$11", "u", `"projectId" text, count bigint`)} USING ("projectId")
), at_once AS MATERIALIZED (
  SELECT CASE
    WHEN (SELECT are_several OR is_set_back FROM waiting) THEN 0
    WHEN sum(lanes) = 1 THEN least($10::bigint, min(left_to_take))
    WHEN sum(due) <= $10::bigint AND bool_and(due <= left_to_take) THEN $10::bigint
    ELSE 0
  END AS allowed FROM due_projects
), ${marking}, likely AS (
  SELECT found.* FROM lanes CROSS JOIN LATERAL (${longestDueIn("lanes", "$4::bigint")}) AS found
  WHERE (SELECT are_several FROM waiting) AND (SELECT count(*) FROM lanes) <= ${likelyLanesMax}
), ${projects("later_projects", "d.project_id >= $5", "false")}, later AS MATERIALIZED (
  ${firstsOf("later_projects", `lane."projectId" >= $5`, "$7::bigint")}
), ${projects("earlier_projects", "$5 <> ''", "project >= $5")}, earlier AS (
  ${firstsOf("earlier_projects", `lane."projectId" < $5`, "$7::bigint - (SELECT count(*) FROM later)")}
)
${part("due", "due", "NOT (SELECT are_several FROM waiting)")}
UNION ALL ${part("first", "later")}
UNION ALL ${part("first", "earlier")}
UNION ALL ${part("likely", "likely")}
UNION ALL ${part("setBack", "waiting", "is_set_back")}
UNION ALL ${part("atOnce", "at_once", "allowed > 0")}
UNION ALL ${part("marked", `(SELECT ${deliveries.columns("marked")} FROM marked)`)}`
}

/** The statements of claims. `isSetBack`: a clock was set back after a delivery began to wait. */
export const claimStatements = (schema: string, versionCheck: VersionCheck, isSetBack: boolean) => ({
  search: searchSql(schema, versionCheck, isSetBack),
  /** The deliveries of some lanes that have been due longest. The lanes and the number of deliveries of each follow the first three parameters. */
  ofLanes: `SELECT due.* FROM ${jsonRows("$4", "lane", `"projectId" text, bulk boolean`)}
CROSS JOIN LATERAL (${findingParts(schema, isSetBack).longestDueIn("lane", "$5")}) AS due`
})

/**
 * Marks rows that this process has chosen. Its parameters are `now`, the rows in their order, the worker, the end of its lease, the status and the limit.
 */
export const markStatement = (schema: string, versionCheck: VersionCheck): string => {
  const rows = jsonRows("$2", "r", `"projectId" text, id text, "dueAt" bigint, "fencingToken" bigint`)
  const marking = markingParts(schema, deliveries, versionCheck, {
    found: rows,
    status: "$5",
    worker: "$3",
    leaseUntil: "$4",
    limit: "$6"
  })
  return `WITH ${marking}
SELECT ${deliveries.columns("marked")} FROM marked`
}
