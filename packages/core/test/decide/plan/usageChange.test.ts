import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { addToCounters, exceededLimit } from "../../../src/decide/plan/usageChange.ts"
import type { UsageCounter } from "../../../src/domain/plan/Plan.ts"
import { noLimits } from "../../../src/domain/plan/Plan.ts"
import { project } from "../fixtures.ts"

const day: UsageCounter = "daily:2026-11-21"
const noUsage = { daily: 0, allowance: 0, scheduledRecipients: 0 }
const immediate = [
  { name: day, by: 1 },
  { name: "allowance" as const, by: 1 }
]
const scheduled = [
  { name: day, by: 1 },
  { name: "scheduledRecipients" as const, by: 1 }
]

describe("exceededLimit", () => {
  it.each([
    ["dailySends", { daily: 2 }, immediate, "daily_sending_limit_exceeded"],
    ["dailySends", { daily: 2 }, scheduled, "daily_sending_limit_exceeded"],
    ["sendingAllowance", { allowance: 2 }, immediate, "sending_allowance_exceeded"],
    ["sendingAllowance", { allowance: 2 }, scheduled, undefined],
    ["scheduledRecipients", { scheduledRecipients: 2 }, scheduled, "scheduled_recipient_limit_exceeded"],
    ["scheduledRecipients", { scheduledRecipients: 2 }, immediate, undefined]
  ] as const)("compares the limit %s with the usage %j", (limit, usage, changes, code) => {
    const plan = { ...noLimits, [limit]: 2 }
    expect(exceededLimit(changes, plan, { ...noUsage, ...usage })).toEqual(
      code && { code, excess: { limit: 2, used: 2, requested: 1 } }
    )
    expect(exceededLimit(changes, plan, noUsage)).toBeUndefined()
    expect(exceededLimit(changes, noLimits, { ...noUsage, ...usage })).toBeUndefined()
  })

  it("returns the limit of scheduled recipients first, then the daily limit", () => {
    const plan = { ...noLimits, dailySends: 0, sendingAllowance: 0, scheduledRecipients: 0 }
    const all = [...scheduled, ...immediate]
    expect(exceededLimit(all, plan, noUsage)?.code).toBe("scheduled_recipient_limit_exceeded")
    expect(exceededLimit(all, { ...plan, scheduledRecipients: null }, noUsage)?.code).toBe(
      "daily_sending_limit_exceeded"
    )
    expect(exceededLimit(immediate, { ...plan, dailySends: null }, noUsage)?.code).toBe("sending_allowance_exceeded")
  })

  it("refuses no send that adds nothing, also above a lowered limit", () => {
    const plan = { ...noLimits, dailySends: 0, sendingAllowance: 0, scheduledRecipients: 0 }
    expect(exceededLimit([], plan, { daily: 9, allowance: 9, scheduledRecipients: 9 })).toBeUndefined()
  })

  it("allows a send exactly when usage and recipients together stay within the limit", () => {
    fc.assert(
      fc.property(fc.nat(20), fc.nat(20), fc.integer({ min: 1, max: 20 }), (limit, used, recipients) => {
        const changes = Array.from({ length: recipients }, () => immediate).flat()
        const exceeded = exceededLimit(changes, { ...noLimits, dailySends: limit }, { ...noUsage, daily: used })
        expect(exceeded === undefined).toBe(used + recipients <= limit)
      })
    )
  })
})

describe("addToCounters", () => {
  const plan = { ...noLimits, sendingAllowance: 5, dailySends: 7 }

  it("adds up the changes of each counter, with the plan's limit for what is added", () =>
    expect(
      addToCounters(
        project,
        [
          { name: "allowance", by: 1 },
          { name: "daily:2026-11-21", by: 1 },
          { name: "allowance", by: 1 }
        ],
        plan
      )
    ).toEqual([
      { _tag: "AddToCounter", projectId: project, name: "allowance", by: 2, max: 5 },
      { _tag: "AddToCounter", projectId: project, name: "daily:2026-11-21", by: 1, max: 7 }
    ]))

  it("sets no limit for what is given back, and skips a sum of zero", () =>
    expect(
      addToCounters(
        project,
        [
          { name: "allowance", by: -1 },
          { name: "scheduledRecipients", by: 1 },
          { name: "scheduledRecipients", by: -1 }
        ],
        plan
      )
    ).toEqual([{ _tag: "AddToCounter", projectId: project, name: "allowance", by: -1, max: null }]))
})
