import { describe, expect, it } from "vitest"
import { planUsage, usageCounters } from "../../../src/decide/plan/planUsage.ts"
import { noLimits } from "../../../src/domain/plan/Plan.ts"

const days = ["2026-11-20", "2026-11-21"]

describe("planUsage", () => {
  it("puts each counter beside its limit, and each day beside its recipients", () => {
    const values: Readonly<Record<string, number>> = {
      "daily:2026-11-20": 5,
      "daily:2026-11-21": 7,
      allowance: 30,
      scheduledRecipients: 2,
      contacts: 11
    }
    const plan = { ...noLimits, dailySends: 10, sendingAllowance: 40, scheduledRecipients: 0, contacts: null }
    const read = usageCounters("2026-11-21", days).map((name) => values[name]!)
    expect(planUsage(plan, days, read)).toEqual({
      dailySends: { used: 7, limit: 10 },
      sendingAllowance: { used: 30, limit: 40 },
      scheduledRecipients: { used: 2, limit: 0 },
      contacts: { used: 11, limit: null },
      days: [
        { day: "2026-11-20", recipients: 5 },
        { day: "2026-11-21", recipients: 7 }
      ]
    })
  })
})
