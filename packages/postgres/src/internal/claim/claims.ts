/**
 * Claims: many workers claim at the same time, and never the same row. Source: decision 0073.
 */
import type { Claim, Delivery, EventDelivery, EventDeliveryClaim } from "@mailkeep/core/adapter"
import { longestDueFirst } from "@mailkeep/core/adapter/evaluation"
import type { Database } from "../database.ts"
import { markInOrder } from "../transactions.ts"
import { schemaVersion } from "../migrations.ts"
import { eventDeliveries } from "../tables.ts"
import type { VersionCheck } from "../tableVersion.ts"
import { makeVersionCheck } from "../tableVersion.ts"
import { makeClaimInOrder } from "./claimOrder.ts"
import type { Candidate, Searched, SearchLimits } from "./claimRows.ts"
import { makeClaimRows } from "./claimRows.ts"
import { markingParts, unclaimedSql } from "./marking.ts"

/** The first rows that are due, and those of them that are marked. One of the two columns is NULL. */
const eventDeliveriesSql = (schema: string, versionCheck: VersionCheck): string => {
  const marking = markingParts(schema, eventDeliveries, versionCheck, {
    found: "due AS r",
    status: "'pending'",
    worker: "$5",
    leaseUntil: "$6",
    limit: "$7"
  })
  return `WITH due AS MATERIALIZED (
  SELECT d.project_id AS "projectId", d.id, d.due_at AS "dueAt", d.fencing_token AS "fencingToken" FROM ${schema}.event_deliveries AS d
  WHERE d.subscriber = $2 AND d.due_at IS NOT NULL AND d.due_at <= $1 AND ${unclaimedSql(schema, "d")} AND d.id <> ALL ($3::text[])
  ORDER BY d.due_at, d.id LIMIT $4
), ${marking}
SELECT to_json(due) AS candidate, NULL AS marked FROM due
UNION ALL SELECT NULL, to_json(one) FROM (SELECT ${eventDeliveries.columns("marked")} FROM marked) AS one`
}

const makeClaimOldest = (database: Database, schema: string, versionCheck: VersionCheck) => {
  const sql = eventDeliveriesSql(schema, versionCheck)
  return async (
    { now, subscriber, worker, leaseUntil }: EventDeliveryClaim,
    { wanted, spare, passedOver }: SearchLimits<EventDelivery>
  ): Promise<Searched<EventDelivery>> => {
    const values = [now, subscriber, passedOver, wanted + spare, worker, leaseUntil, wanted]
    const found = await markInOrder<{
      readonly candidate: Candidate | null
      readonly marked: EventDelivery | null
    }>(database, sql, values)
    return {
      candidates: found.flatMap(({ candidate }) => candidate ?? []),
      rows: found.flatMap(({ marked }) => marked ?? []),
      allowed: wanted
    }
  }
}

export const makeClaims = (database: Database, schema: string) => {
  const versionCheck = makeVersionCheck(schema, schemaVersion)
  const checkVersion = () => database.use(versionCheck.run)
  const claimDeliveries = makeClaimRows(checkVersion)
  const claimEventDeliveries = makeClaimRows(checkVersion)
  const claimInOrder = makeClaimInOrder(database, schema, versionCheck)
  const claimOldest = makeClaimOldest(database, schema, versionCheck)
  return {
    claim: (claim: Claim, signal: AbortSignal): Promise<ReadonlyArray<Delivery>> =>
      claimDeliveries<Delivery>(claim.limit, signal, (limits) => claimInOrder(claim, limits)),
    claimEventDeliveries: async (
      claim: EventDeliveryClaim,
      signal: AbortSignal
    ): Promise<ReadonlyArray<EventDelivery>> => {
      const rows = await claimEventDeliveries<EventDelivery>(claim.limit, signal, (limits) =>
        claimOldest(claim, limits)
      )
      return rows.toSorted(longestDueFirst)
    }
  }
}
