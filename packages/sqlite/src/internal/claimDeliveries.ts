/**
 * Claims deliveries and event deliveries.
 */
import type { Claim, Delivery, EventDelivery, EventDeliveryClaim } from "@mailkeep/core/adapter"
import { longestDueFirst } from "@mailkeep/core/adapter/evaluation"
import { claimOrder } from "./claimOrder.ts"
import { renewLease, unclaimedSql } from "./leases.ts"
import type { Prepared } from "./recordTable.ts"
import { deliveries, eventDeliveries } from "./tables.ts"

const claimDeliveriesSql = `UPDATE mailkeep_deliveries SET worker = ?, fencing_token = fencing_token + 1
WHERE id IN (SELECT value FROM json_each(?))
RETURNING *`

export const claimDeliveries = (connection: Prepared, claim: Claim): ReadonlyArray<Delivery> => {
  const { worker, now, leaseUntil } = claim
  const ids = claimOrder(connection, claim)
  if (ids.length === 0) return []
  const rows = connection.statement(claimDeliveriesSql).all(worker, JSON.stringify(ids)).map(deliveries.fromRow)
  renewLease(connection, { worker, renewedAt: now, leaseUntil })
  const byId = new Map(rows.map((row) => [row.id as string, row]))
  return ids.map((id) => byId.get(id)!)
}

/** Claims the rows that have been due longest and that no worker with a live lease has. */
const claimEventDeliveriesSql = `UPDATE mailkeep_event_deliveries SET worker = ?, fencing_token = fencing_token + 1
WHERE id IN (
  SELECT id FROM mailkeep_event_deliveries INDEXED BY mailkeep_event_deliveries_due
  WHERE subscriber = ? AND due_at <= ? AND ${unclaimedSql("?")}
  ORDER BY due_at, id LIMIT ?
)
RETURNING *`

export const claimEventDeliveries = (
  connection: Prepared,
  { subscriber, now, limit, worker, leaseUntil }: EventDeliveryClaim
): ReadonlyArray<EventDelivery> => {
  const rows = connection.statement(claimEventDeliveriesSql).all(worker, subscriber, now, now, limit)
  if (rows.length > 0) renewLease(connection, { worker, renewedAt: now, leaseUntil })
  return rows.map(eventDeliveries.fromRow).toSorted(longestDueFirst)
}
