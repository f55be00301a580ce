import * as fc from "fast-check"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { parsePlanUsage } from "../../../src/domain/plan/PlanUsage.ts"
import { dayMillis, utcDayOf } from "../../../src/domain/value/Instant.ts"

const now = Date.UTC(2026, 10, 21, 23, 59)

describe("parsePlanUsage", () => {
  it.each([
    [{}, ["2026-11-21"]],
    [{ startDate: null, endDate: undefined }, ["2026-11-21"]],
    [{ startDate: "2026-11-20" }, ["2026-11-20", "2026-11-21"]],
    [{ startDate: "2026-11-22", endDate: "2026-11-23" }, ["2026-11-22", "2026-11-23"]],
    [{ startDate: "2024-02-28", endDate: "2024-03-01" }, ["2024-02-28", "2024-02-29", "2024-03-01"]],
    [{ endDate: "2026-11-22T00:30:00+01:00" }, ["2026-11-21"]],
    [{ startDate: new Date(now - dayMillis), endDate: now }, ["2026-11-20", "2026-11-21"]]
  ])("returns the days of %j", (input, days) => expect(parsePlanUsage(input, now)).toEqual(Result.succeed(days)))

  it.each([
    [{ startDate: "2026-11-22" }, "startDate", "invalid_value"],
    [{ endDate: "2026-11-20" }, "startDate", "invalid_value"],
    [{ startDate: "2025-11-20" }, "startDate", "too_large"],
    [{ startDate: "0000-01-01", endDate: "9999-12-31" }, "startDate", "too_large"],
    [{ startDate: "November" }, "startDate", "invalid_value"],
    [{ endDate: 1.5 }, "endDate", "invalid_value"],
    [{ month: "2026-11" }, "month", "unknown_field"]
  ])("refuses %j by its field %s", (input, field, code) =>
    expect(parsePlanUsage(input, now)).toMatchObject({ failure: [{ path: [field], code }] })
  )

  it("returns each day of a range once, oldest first", () =>
    fc.assert(
      fc.property(fc.integer({ min: -700_000, max: 2_900_000 }), fc.nat(365), (first, more) => {
        const at = (day: number) => day * dayMillis
        const days = Result.getOrThrow(parsePlanUsage({ startDate: at(first), endDate: at(first + more) }, now))
        expect(days).toEqual(Array.from({ length: more + 1 }, (_, n) => utcDayOf(at(first + n))))
      })
    ))
})
