import { describe, expect, it } from "vitest"
import { isDue } from "../../../src/domain/store/Claim.ts"

const now = 1_000_000

describe("isDue", () => {
  it.each([
    ["is due before now", now - 1, now - 9, true],
    ["is due now", now, now - 9, true],
    ["is due later", now + 1, now - 9, false],
    ["began to wait now", now + 1, now, false],
    ["began to wait later, before the clock was set back", now + 9, now + 1, true],
    ["was due at once, before the clock was set back", now + 9, now + 9, true],
    ["is due at its scheduled time, later", now + 1, null, false],
    ["was due at its scheduled time", now, null, true],
    ["waits for nothing", null, null, false]
  ])("compares the wait with the clock for a delivery that %s", (_, dueAt, dueSetAt, expected) =>
    expect(isDue({ dueAt, dueSetAt }, now)).toBe(expected)
  )
})
