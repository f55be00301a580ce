/**
 * Compares the usage that a send adds with the limits of the plan. Source: decision 0015.
 */
import type { CounterName, Plan, PlanLimitCode } from "../../domain/plan/Plan.ts"
import { isWithinLimit } from "../../domain/plan/Plan.ts"

/** The values of the counters before the send. `daily` is the one of the UTC day on which the send counts. */
export interface SendUsage {
  readonly daily: number
  readonly allowance: number
  readonly scheduledRecipients: number
}

/** Returns the first limit that the send would exceed, or `undefined`. A counter to which the send adds nothing is not compared. */
export const exceededLimit = (
  counterChanges: ReadonlyArray<{ readonly name: CounterName; readonly by: number }>,
  plan: Plan,
  usage: SendUsage
): PlanLimitCode | undefined => {
  const added = (isCounted: (name: CounterName) => boolean) =>
    counterChanges.reduce((sum, { name, by }) => (isCounted(name) ? sum + by : sum), 0)
  const isExceeded = (limit: number | null, used: number, more: number) => more > 0 && !isWithinLimit(limit, used, more)
  const scheduled = added((name) => name === "scheduledRecipients")
  if (isExceeded(plan.scheduledRecipients, usage.scheduledRecipients, scheduled))
    return "scheduled_recipient_limit_exceeded"
  const daily = added((name) => name.startsWith("daily:"))
  if (isExceeded(plan.dailySends, usage.daily, daily)) return "daily_sending_limit_exceeded"
  const charged = added((name) => name === "allowance")
  if (isExceeded(plan.sendingAllowance, usage.allowance, charged)) return "sending_allowance_exceeded"
  return undefined
}
