import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { isWithinLimit, noLimits, parsePlan } from "../../../src/domain/plan/Plan.ts"

describe("isWithinLimit", () => {
  it.each([
    [10, 9, 1, true],
    [10, 10, 0, true],
    [10, 10, 1, false],
    [10, 0, 11, false],
    [0, 0, 1, false],
    [null, 1e15, 1e9, true]
  ])("compares the limit %s with %s used and %s more", (limit, used, more, expected) =>
    expect(isWithinLimit(limit, used, more)).toBe(expected)
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
