import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { decoder } from "../../../src/domain/value/Issue.ts"
import { boundOrNull, timeBound } from "../../../src/domain/value/TimeBound.ts"

const day = Date.UTC(2026, 10, 21)

describe("boundOrNull", () => {
  it.each([
    ["2026-11-21", day, day + 86_399_999],
    ["2026-11-21T01:00:00+01:00", day, day],
    [new Date(day), day, day],
    [day, day, day],
    [null, null, null],
    [undefined, null, null]
  ])("converts %s to the start %s and the end %s", (value, start, end) => {
    expect(boundOrNull(value, "start")).toBe(start)
    expect(boundOrNull(value, "end")).toBe(end)
  })
})

describe("timeBound", () => {
  it.each([
    ["2026-02-30", false],
    ["21.11.2026", false],
    [Number.NaN, false],
    [new Date(Number.NaN), false],
    [{}, false],
    ["2026-11-21T01:00:00", false],
    ["2026-11-21", true],
    [null, true]
  ])("says of %s whether it is a bound: %s", (value, isBound) =>
    expect(Schema.is(Schema.Struct({ at: timeBound("start") }))({ at: value })).toBe(isBound)
  )

  it("says in its message that a time needs an offset", () => {
    const decode = decoder(Schema.Struct({ at: timeBound("start") }))
    expect(decode({ at: "2026-11-21T01:00:00" })).toMatchObject({
      failure: [{ path: ["at"], code: "invalid_value", message: expect.stringContaining("a time with an offset") }]
    })
  })
})
