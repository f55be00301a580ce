import { describe, expect, it } from "vitest"
import { dayMillis, minuteMillis } from "../../src/index.ts"
import { makeConsumerConditions } from "../../src/internal/consumerConditions.ts"

const now = Date.UTC(2026, 10, 21, 12)

const failing = (times: number) => {
  const conditions = makeConsumerConditions()
  for (let n = 0; n < times; n++) conditions.failed("whk_1", now)
  return conditions
}

describe("the pause of a subscriber that fails", () => {
  it.each([
    [9, 0],
    [10, now + 1000],
    [13, now + 8000],
    [16, now + minuteMillis],
    [1000, now + minuteMillis]
  ])("after %d failures in a row lasts until %d", (times, until) =>
    expect(failing(times).pausedUntil("whk_1", now)).toBe(until)
  )

  it("ends when the clock is set back, instead of lasting until the clock is there again", () =>
    expect(failing(20).pausedUntil("whk_1", now - dayMillis)).toBe(0))
})
