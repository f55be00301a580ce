/**
 * The usage that a decision adds or gives back: compares it with the limits of the plan, and makes the changes of its counters. Source: decision 0015.
 */
import type { ProjectId } from "../../domain/access/Project.ts"
import type { LimitExcess, Plan, PlanLimitCode, UsageCounter } from "../../domain/plan/Plan.ts"
import { excessOf, noLimits } from "../../domain/plan/Plan.ts"
import type { Change } from "../../domain/store/Change.ts"

/** An amount that is added to a counter, or given back when it is negative. */
export interface UsageChange {
  readonly name: UsageCounter
  readonly by: number
}

/** The values of the counters before the send. `daily` is the one of the UTC day on which the send counts. */
export interface SendUsage {
  readonly daily: number
  readonly allowance: number
  readonly scheduledRecipients: number
}

/** Returns the first limit that the send would exceed with its numbers, or `undefined`. A counter to which the send adds nothing is not compared. */
export const exceededLimit = (
  counterChanges: ReadonlyArray<UsageChange>,
  plan: Plan,
  usage: SendUsage
): { readonly code: PlanLimitCode; readonly excess: LimitExcess } | undefined => {
  const added = (isCounted: (name: UsageCounter) => boolean) =>
    counterChanges.reduce((sum, { name, by }) => (isCounted(name) ? sum + by : sum), 0)
  const exceeded = (code: PlanLimitCode, limit: number | null, used: number, more: number) => {
    const excess = more > 0 ? excessOf(limit, used, more) : undefined
    return excess && { code, excess }
  }
  const scheduled = added((name) => name === "scheduledRecipients")
  const daily = added((name) => name.startsWith("daily:"))
  const charged = added((name) => name === "allowance")
  return (
    exceeded("scheduled_recipient_limit_exceeded", plan.scheduledRecipients, usage.scheduledRecipients, scheduled) ??
    exceeded("daily_sending_limit_exceeded", plan.dailySends, usage.daily, daily) ??
    exceeded("sending_allowance_exceeded", plan.sendingAllowance, usage.allowance, charged)
  )
}

/** Returns the limit of the plan for a counter. */
const limitOf = (plan: Plan, name: UsageCounter): number | null =>
  name === "scheduledRecipients"
    ? plan.scheduledRecipients
    : name === "allowance"
      ? plan.sendingAllowance
      : plan.dailySends

/** Returns one change for each counter, with the sum of its amounts. Without a plan, no limit applies: for amounts that are given back. */
export const addToCounters = (
  projectId: ProjectId,
  counterChanges: ReadonlyArray<UsageChange>,
  plan: Plan = noLimits
): ReadonlyArray<Change> => {
  const sums = new Map<UsageCounter, number>()
  for (const { name, by } of counterChanges) sums.set(name, (sums.get(name) ?? 0) + by)
  return [...sums].flatMap(([name, by]): ReadonlyArray<Change> =>
    by === 0 ? [] : [{ _tag: "AddToCounter", projectId, name, by, max: by > 0 ? limitOf(plan, name) : null }]
  )
}
