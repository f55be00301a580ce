/**
 * Finds the row of the delivery table for a status and a trigger. `applyTransition` (`decide/delivery/transition.ts`) applies the row.
 */
import { Data, Result } from "effect"
import type { DeliveryReason, DeliveryStatus } from "./DeliveryStatus.ts"
import type { DeliveryRow } from "./DeliveryRow.ts"
import type { Trigger } from "./DeliveryTable.ts"
import { deliveryTable } from "./DeliveryTable.ts"

/** The table has no row for this status and trigger. The delivery does not change. */
export class IllegalTransition extends Data.TaggedError("IllegalTransition")<{
  readonly from: DeliveryRow["from"]
  readonly trigger: Trigger
}> {
  override get message() {
    return `A delivery makes no transition from ${this.from} by ${this.trigger}.`
  }
}

const rows: ReadonlyArray<DeliveryRow & { readonly trigger: Trigger }> = deliveryTable

/** Returns the row for a status and a trigger. `reason` is the delivery's reason, for rows with a `fromReason`. */
export const step = (
  from: DeliveryRow["from"],
  trigger: Trigger,
  reason: DeliveryReason | null
): Result.Result<DeliveryRow, IllegalTransition> => {
  const row = rows.find(
    (row) => row.from === from && row.trigger === trigger && (row.fromReason === undefined || row.fromReason === reason)
  )
  return row === undefined ? Result.fail(new IllegalTransition({ from, trigger })) : Result.succeed(row)
}

/** Statuses without an outgoing row, apart from rows with a `fromReason`. */
export const terminalStatuses: ReadonlyArray<DeliveryStatus> = (
  [...new Set(rows.map((row) => row.to))] as Array<DeliveryStatus>
).filter((status) => !rows.some((row) => row.from === status && row.fromReason === undefined))

/** Statuses in which the delivery needs the dispatcher, so that a claim must find it. */
export const claimableStatuses = ["scheduled", "queued", "sending"] as const satisfies ReadonlyArray<DeliveryStatus>
