import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { excessOf, noLimits, parsePlan } from "../../../src/domain/plan/Plan.ts"

describe("excessOf", () => {
  it.each([
    [10, 9, 1, false],
    [10, 10, 0, false],
    [10, 10, 1, true],
    [10, 0, 11, true],
    [0, 0, 1, true],
    [null, 1e15, 1e9, false]
  ])("compares the limit %s with %s used and %s requested", (limit, used, requested, isExceeded) =>
    expect(excessOf(limit, used, requested)).toEqual(isExceeded ? { limit, used, requested } : undefined)
  )
})

describe("parsePlan", () => {
  it("allows a plan without limits, and absent limits", () => {
    expect(parsePlan(noLimits)).toEqual(Result.succeed(noLimits))
    expect(parsePlan({ contacts: undefined })).toEqual(Result.succeed({}))
  })

  it("refuses a negative limit and a rate limit without a window", () =>
    expect(parsePlan({ contacts: -1, rateLimit: { requests: 1 } })).toMatchObject({
      failure: [
        { path: ["contacts"], code: "too_small" },
        { path: ["rateLimit", "windowMillis"], code: "required" }
      ]
    }))
})
