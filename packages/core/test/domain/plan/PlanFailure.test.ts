import { describe, expect, it } from "vitest"
import { PlanLimitReached } from "../../../src/domain/plan/PlanFailure.ts"

describe("PlanLimitReached", () => {
  it.each([
    [undefined, "The contact would exceed the project's contact limit."],
    [
      { limit: 500, used: 498, requested: 3 },
      "The contact would exceed the project's contact limit. Limit: 500, used: 498, requested: 3."
    ]
  ])("says how much is used when it knows: %j", (excess, message) =>
    expect(new PlanLimitReached({ code: "contact_limit_exceeded", excess }).message).toBe(message)
  )
})
