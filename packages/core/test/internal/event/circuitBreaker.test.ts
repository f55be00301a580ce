import { describe, expect, it } from "vitest"
import { dayMillis, secondMillis } from "../../../src/domain/value/Instant.ts"
import { makeCircuitBreakers } from "../../../src/internal/event/circuitBreaker.ts"

const now = Date.UTC(2026, 10, 21, 12)

const failing = (times: number) => {
  const breakers = makeCircuitBreakers()
  for (let n = 0; n < times; n++) breakers.recordFailure("whk_1", now)
  return breakers
}

describe("makeCircuitBreakers", () => {
  it("pauses a subscriber after ten failures in a row, and twice as long after each further failure, up to a minute", () => {
    const breakers = failing(9)
    expect(breakers.pausedUntil("whk_1", now)).toBe(0)
    const pauses: Array<number> = []
    let at = now
    for (let n = 0; n < 8; n++) {
      breakers.recordFailure("whk_1", at)
      const until = breakers.pausedUntil("whk_1", at)
      pauses.push((until - at) / secondMillis)
      at = until
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
  })

  it("pauses a subscriber for a second when many requests fail at the same time", () =>
    expect(failing(64).pausedUntil("whk_1", now)).toBe(now + secondMillis))

  it("ends the pause of a subscriber when the clock is set back", () =>
    expect(failing(20).pausedUntil("whk_1", now - dayMillis)).toBe(0))

  it.each([
    [0, 0, 16],
    [9, 0, 16],
    [9, 3, 13],
    [10, 0, 1],
    [10, 1, 0]
  ])(
    "allows, after %d failures in a row and with %d event deliveries under way, %d more",
    (failures, underWay, more) => {
      const breakers = failing(failures)
      for (let n = 0; n < underWay; n++) breakers.acquire("whk_1")
      expect(breakers.capacity("whk_1", 16)).toBe(more)
      expect(breakers.capacity("whk_2", 16)).toBe(16)
      for (let n = 0; n < underWay; n++) breakers.release("whk_1")
      expect(breakers.capacity("whk_1", 16)).toBe(more + underWay)
    }
  )

  it.each([
    [1, 63],
    [48, 16],
    [49, 0],
    [64, 0]
  ])("allows a subscriber that accepts, with %d event deliveries under way, %d more ahead", (underWay, more) => {
    const breakers = makeCircuitBreakers()
    for (let n = 0; n < underWay; n++) breakers.acquire("whk_1")
    breakers.recordSuccess("whk_1")
    expect(breakers.capacityAhead("whk_1", 16, 48)).toBe(more)
  })

  it("allows no event delivery ahead before the first success, after a failure, and when none is under way", () => {
    const breakers = makeCircuitBreakers()
    breakers.acquire("whk_1")
    expect(breakers.capacityAhead("whk_1", 16, 48)).toBe(15)
    breakers.recordSuccess("whk_1")
    expect(breakers.capacityAhead("whk_1", 16, 48)).toBe(63)
    breakers.recordFailure("whk_1", now)
    expect(breakers.capacityAhead("whk_1", 16, 48)).toBe(15)
    breakers.recordSuccess("whk_1")
    breakers.release("whk_1")
    expect(breakers.capacityAhead("whk_1", 16, 48)).toBe(16)
  })

  it("ends the pause of a subscriber and its limit after a success", () => {
    const breakers = failing(20)
    breakers.recordSuccess("whk_1")
    expect([breakers.pausedUntil("whk_1", now), breakers.capacity("whk_1", 16)]).toEqual([0, 16])
  })
})
