/**
 * Finds the deliveries that a claim takes, in the order of `roundRobin`, by indexes: it reads neither all due deliveries nor all that wait.
 * Source: decisions 0043 and 0044.
 */
import type { Claim, Due, Lane } from "@mailkeep/core/adapter"
import { claimKinds, roundRobin } from "@mailkeep/core/adapter/evaluation"
import type { Statement } from "better-sqlite3"
import { unclaimedSql } from "./leases.ts"
import type { Prepared, Value } from "./recordTable.ts"

/** A due delivery with its lane. */
type DueRow = Due & Lane

/** The clock of the claim was set back after a delivery of this status began to wait. */
const setBackSql =
  "SELECT 1 FROM mailkeep_deliveries INDEXED BY mailkeep_deliveries_due_set WHERE status = ? AND due_set_at > ? LIMIT 1"

const unclaimed = unclaimedSql("@now")

/** `isDue` in SQL. The second part is left out while it can be true of no delivery, so that the index bounds the search. */
const dueSql = (isSetBack: boolean): string => (isSetBack ? "(due_at <= @now OR due_set_at > @now)" : "due_at <= @now")

const columns = "id, project_id AS projectId, bulk, due_at AS dueAt"

/** Due deliveries of all lanes, in no order. */
const anyDueSql = (isSetBack: boolean): string => `SELECT ${columns} FROM mailkeep_deliveries
INDEXED BY mailkeep_deliveries_due
WHERE status = @status AND due_at IS NOT NULL AND ${dueSql(isSetBack)} AND ${unclaimed}
LIMIT @limit`

/** The deliveries of one lane that have been due longest. */
const ofLaneSql = (isSetBack: boolean): string => `SELECT ${columns} FROM mailkeep_deliveries
INDEXED BY mailkeep_deliveries_lanes
WHERE status = @status AND project_id = @projectId AND bulk = @bulk AND due_at IS NOT NULL
  AND ${dueSql(isSetBack)} AND ${unclaimed}
ORDER BY due_at, id LIMIT @limit`

const nextProject = (comparison: string) =>
  `SELECT min(project_id) FROM mailkeep_deliveries INDEXED BY mailkeep_deliveries_lanes
  WHERE status = @status AND due_at IS NOT NULL AND project_id ${comparison}`

/**
 * Each due lane after one lane and up to another, in order, with the delivery that has been due longest. Finds each next project by the index,
 * and stops after `limit` lanes. `to` is `NULL` for all lanes to the end.
 */
const firstOfLanesSql = (isSetBack: boolean): string => `WITH RECURSIVE projects (project) AS (
  ${nextProject(">= @from")}
  UNION ALL
  SELECT (${nextProject("> project")}) FROM projects WHERE project IS NOT NULL AND (@to IS NULL OR project < @to)
), lanes (lane_bulk) AS (VALUES (0), (1)), firsts (first) AS (
  SELECT (
    SELECT id FROM mailkeep_deliveries INDEXED BY mailkeep_deliveries_lanes
    WHERE status = @status AND project_id = project AND bulk = lane_bulk AND due_at IS NOT NULL
      AND ${dueSql(isSetBack)} AND ${unclaimed}
    ORDER BY due_at, id LIMIT 1
  ) FROM projects CROSS JOIN lanes
  WHERE project IS NOT NULL AND (project, lane_bulk) > (@from, @fromBulk)
    AND (@to IS NULL OR (project, lane_bulk) <= (@to, @toBulk))
    AND project NOT IN (SELECT value FROM json_each(@full))
)
SELECT ${columns} FROM firsts CROSS JOIN mailkeep_deliveries ON id = first LIMIT @limit`

/** The statements that find due deliveries. The second of each pair is for a clock that was set back. */
export const dueStatements = {
  anyDue: [anyDueSql(false), anyDueSql(true)],
  ofLane: [ofLaneSql(false), ofLaneSql(true)],
  firstOfLanes: [firstOfLanesSql(false), firstOfLanesSql(true)]
} as const

interface Search {
  readonly connection: Prepared
  readonly claim: Claim
  readonly isSetBack: boolean
}

interface Row extends Due {
  readonly projectId: string
  readonly bulk: number
}

const find = (
  { connection, claim: { kind, now }, isSetBack }: Search,
  [plain, setBack]: readonly [string, string],
  values: Readonly<Record<string, Value>>
): ReadonlyArray<DueRow> => {
  // The parameters of these statements have names.
  const statement = connection.statement(isSetBack ? setBack : plain) as unknown as Statement<[Record<string, Value>]>
  const rows = statement.all({ status: claimKinds[kind], now, ...values }) as ReadonlyArray<Row>
  return rows.map((row) => ({ ...row, bulk: row.bulk === 1 }))
}

/** The due lanes in the order of the first round, each with its first delivery; at most `limit`. Without the lanes of full projects. */
const firstOfLanes = (search: Search, limit: number): ReadonlyArray<DueRow> => {
  const { after, perProject, underWay } = search.claim.rotation
  const full = JSON.stringify(underWay.flatMap(({ projectId, count }) => (count >= perProject ? [projectId] : [])))
  const among = (from: Lane | null, to: Lane | null, limit: number) =>
    find(search, dueStatements.firstOfLanes, {
      from: from?.projectId ?? "",
      fromBulk: from === null ? -1 : Number(from.bulk),
      to: to?.projectId ?? null,
      toBulk: to === null ? null : Number(to.bulk),
      full,
      limit
    })
  const firsts = among(after, null, limit)
  return after === null || firsts.length === limit ? firsts : [...firsts, ...among(null, after, limit - firsts.length)]
}

/** Returns the ids of the deliveries that the claim takes, in the order in which it takes them. */
export const claimOrder = (connection: Prepared, claim: Claim): ReadonlyArray<string> => {
  const { kind, now, limit, rotation } = claim
  const isSetBack = connection.statement(setBackSql).get(claimKinds[kind], now) !== undefined
  const search = { connection, claim, isSetBack }
  const taken = (due: ReadonlyArray<DueRow>) => roundRobin(due, limit, rotation).map(({ id }) => id)
  if (rotation.perProject <= 0) return []
  const due = find(search, dueStatements.anyDue, { limit: limit + 1 })
  if (due.length <= limit) return taken(due)
  // Two lanes of each project: so many lanes belong to at least `limit` projects, and the first round takes one delivery of each.
  const firsts = firstOfLanes(search, 2 * limit)
  const firstRound = taken(firsts)
  if (firstRound.length === limit || firsts.length === 0) return firstRound
  return taken(
    firsts.flatMap(({ projectId, bulk }) =>
      find(search, dueStatements.ofLane, { projectId, bulk: Number(bulk), limit })
    )
  )
}
