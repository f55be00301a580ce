/**
 * Compares the counters of a project with its plan. Source: decision 0015.
 */
import type { CounterName, Plan } from "../../domain/plan/Plan.ts"
import { dailyCounter } from "../../domain/plan/Plan.ts"
import type { PlanUsage } from "../../domain/plan/PlanUsage.ts"
import type { UtcDay } from "../../domain/value/Instant.ts"

/** The counters of all limits, and then those of the days. */
export const usageCounters = (today: UtcDay, days: ReadonlyArray<UtcDay>): ReadonlyArray<CounterName> => [
  dailyCounter(today),
  "allowance",
  "scheduledRecipients",
  "contacts",
  ...days.map(dailyCounter)
]

/** Returns the usage, from the values of `usageCounters` in their order. */
export const planUsage = (plan: Plan, days: ReadonlyArray<UtcDay>, values: ReadonlyArray<number>): PlanUsage => {
  const [daily = 0, allowance = 0, scheduled = 0, contacts = 0, ...recipients] = values
  return {
    dailySends: { used: daily, limit: plan.dailySends },
    sendingAllowance: { used: allowance, limit: plan.sendingAllowance },
    scheduledRecipients: { used: scheduled, limit: plan.scheduledRecipients },
    contacts: { used: contacts, limit: plan.contacts },
    days: days.map((day, n) => ({ day, recipients: recipients[n] ?? 0 }))
  }
}
