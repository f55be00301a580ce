/**
 * The only interpreter of the delivery table.
 */
import { Data, Result } from "effect"
import type { DeliveryReason, DeliveryRow, DeliveryStatus, Trigger } from "./DeliveryTable.ts"
import { deliveryTable } from "./DeliveryTable.ts"

/** The table has no row for this status and trigger; the delivery stays as it is. */
export class IllegalTransition extends Data.TaggedError("IllegalTransition")<{
  readonly from: DeliveryRow["from"]
  readonly on: Trigger
}> {}

const rows: ReadonlyArray<DeliveryRow & { readonly on: Trigger }> = deliveryTable

/** The move a delivery makes on a trigger. `reason` is the delivery's own, for the rows that ask for one. */
export const step = (
  from: DeliveryRow["from"],
  on: Trigger,
  reason: DeliveryReason | null = null
): Result.Result<DeliveryRow, IllegalTransition> => {
  const row = rows.find(
    (row) => row.from === from && row.on === on && (row.fromReason === undefined || row.fromReason === reason)
  )
  return row === undefined ? Result.fail(new IllegalTransition({ from, on })) : Result.succeed(row)
}

/** Statuses that no row without a `fromReason` leaves. */
export const terminalStatuses: ReadonlyArray<DeliveryStatus> = (
  [...new Set(rows.map((row) => row.to))] as Array<DeliveryStatus>
).filter((status) => !rows.some((row) => row.from === status && row.fromReason === undefined))

/** Statuses in which the delivery waits for the dispatcher, so a claim must reach it. */
export const claimableStatuses = ["scheduled", "queued", "sending"] as const satisfies ReadonlyArray<DeliveryStatus>
