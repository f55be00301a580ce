import { describe, expect, it } from "vitest"
import { dayMillis, minuteMillis } from "../../src/index.ts"
import { makeCircuitBreakers } from "../../src/internal/circuitBreaker.ts"

const now = Date.UTC(2026, 10, 21, 12)

const failing = (times: number) => {
  const breakers = makeCircuitBreakers()
  for (let n = 0; n < times; n++) breakers.failed("whk_1", now)
  return breakers
}

describe("makeCircuitBreakers", () => {
  it.each([
    [9, 0],
    [10, now + 1000],
    [13, now + 8000],
    [16, now + minuteMillis],
    [1000, now + minuteMillis]
  ])("pauses a subscriber after %d failures in a row until %d", (times, until) =>
    expect(failing(times).pausedUntil("whk_1", now)).toBe(until)
  )

  it("ends the pause of a subscriber when the clock is set back", () =>
    expect(failing(20).pausedUntil("whk_1", now - dayMillis)).toBe(0))
})
