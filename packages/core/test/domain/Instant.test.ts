import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { formatInstant, parseInstant, utcDayOf } from "../../src/domain/Instant.ts"

describe("parseInstant", () => {
  it.each([
    ["2026-11-21T06:24:00Z", "2026-11-21T06:24:00.000Z"],
    ["2026-11-21t06:24:00z", "2026-11-21T06:24:00.000Z"],
    ["2026-12-24T18:00:00+01:00", "2026-12-24T17:00:00.000Z"],
    ["2026-01-01T00:30:00-05:30", "2026-01-01T06:00:00.000Z"],
    ["2024-02-29T12:00:00.1239Z", "2024-02-29T12:00:00.123Z"],
    ["2026-06-30T23:59:60Z", "2026-07-01T00:00:00.000Z"],
    ["0099-01-01T00:00:00Z", "0099-01-01T00:00:00.000Z"]
  ])("reads %s", (text, utc) => expect(formatInstant(parseInstant(text)!)).toBe(utc))

  it.each([
    "2026-11-21",
    "2026-11-21T06:24:00",
    "2026-11-21 06:24:00Z",
    "2026-02-29T00:00:00Z",
    "2026-02-31T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-10T00:00:00Z",
    "2026-11-21T24:00:00Z",
    "2026-11-21T06:60:00Z",
    "2026-11-21T06:24:00+24:00",
    "2026-11-21T06:24Z",
    "tomorrow",
    "0",
    ""
  ])("refuses %j", (text) => expect(parseInstant(text)).toBeUndefined())

  it("reads back what is shown", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true }),
        (date) => {
          expect(parseInstant(formatInstant(date.getTime()))).toBe(date.getTime())
        }
      )
    )
  })

  it("gives the UTC day", () => {
    expect(utcDayOf(parseInstant("2026-11-21T23:30:00-01:00")!)).toBe("2026-11-22")
  })
})
