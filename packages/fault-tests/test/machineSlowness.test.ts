import { expect, it } from "vitest"
import { measureSlowness, slownessOf } from "../src/attack/machineSlowness.ts"

it.each([
  ["a fast processor", [4, 6], 1],
  ["a processor of half the speed, which other work interrupts", [12, 19, 80], 2]
])("takes the fastest run of %s", (_, millis, slowness) => {
  expect(slownessOf(millis)).toBe(slowness)
})

it("makes attackers no faster", () => {
  expect(measureSlowness()).toBeGreaterThanOrEqual(1)
})
