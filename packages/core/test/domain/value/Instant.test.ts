import { runInNewContext } from "node:vm"
import * as fc from "fast-check"
import { afterEach, describe, expect, it, vi } from "vitest"
import {
  formatInstant,
  instantOfInput,
  parseInstant,
  parseInstantOrDay,
  utcDayOf
} from "../../../src/domain/value/Instant.ts"

describe("parseInstant", () => {
  it.each([
    ["2026-11-21T06:24:00Z", "2026-11-21T06:24:00.000Z"],
    ["2026-11-21t06:24:00z", "2026-11-21T06:24:00.000Z"],
    ["2026-12-24T18:00:00+01:00", "2026-12-24T17:00:00.000Z"],
    ["2026-01-01T00:30:00-05:30", "2026-01-01T06:00:00.000Z"],
    ["2024-02-29T12:00:00.1239Z", "2024-02-29T12:00:00.123Z"],
    ["2026-06-30T23:59:60Z", "2026-07-01T00:00:00.000Z"],
    ["2026-11-21T06:24Z", "2026-11-21T06:24:00.000Z"],
    ["2026-11-21T06:24+01", "2026-11-21T05:24:00.000Z"],
    ["2026-11-21T06:24:30+0130", "2026-11-21T04:54:30.000Z"],
    ["2026-11-21T06:24:30.5-08", "2026-11-21T14:24:30.500Z"],
    ["0099-01-01T00:00:00Z", "0099-01-01T00:00:00.000Z"]
  ])("parses the instant %s", (text, utc) => expect(formatInstant(parseInstant(text)!)).toBe(utc))

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
    "2026-11-21T06:24",
    "2026-11-21T06:24.5Z",
    "2026-11-21T06:24:00.Z",
    "2026-11-21T06:24:00+1",
    "2026-11-21T06:24:00+01:",
    "2026-11-21T06:24:00+01:6",
    "2026-11-21T06:24:00+0160",
    "2026-02-29T06:24Z",
    "2026-11-21T06Z",
    "tomorrow",
    "0",
    ""
  ])("refuses the instant %j", (text) => expect(parseInstant(text)).toBeUndefined())

  it("parses a formatted instant to the same instant", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true }),
        (date) => {
          expect(parseInstant(formatInstant(date.getTime()))).toBe(date.getTime())
        }
      )
    )
  })

  it("gives the UTC day of an instant", () => {
    expect(utcDayOf(parseInstant("2026-11-21T23:30:00-01:00")!)).toBe("2026-11-22")
  })
})

describe("parseInstantOrDay", () => {
  it.each([
    ["2026-11-21", "start", "2026-11-21T00:00:00.000Z"],
    ["2026-11-21", "end", "2026-11-21T23:59:59.999Z"],
    ["2024-02-29", "end", "2024-02-29T23:59:59.999Z"],
    ["2026-11-21T06:24+01", "start", "2026-11-21T05:24:00.000Z"],
    ["2026-11-21T06:24+01", "end", "2026-11-21T05:24:00.000Z"]
  ] as const)("parses %s as the %s of its day, or as its exact time", (text, edge, utc) =>
    expect(formatInstant(parseInstantOrDay(text, edge)!)).toBe(utc)
  )

  it.each(["2026-02-29", "2026-11-31", "2026-11", "20261121", "2026-11-21 ", "2026-11-21T", ""])(
    "refuses the instant or day %j",
    (text) => expect(parseInstantOrDay(text, "start")).toBeUndefined()
  )
})

describe("instantOfInput", () => {
  const instant = Date.UTC(2026, 11, 24, 17)

  it.each([new Date(instant), instant, "2026-12-24T18:00:00+01:00"])("converts the time %j of a program", (time) => {
    expect(instantOfInput(time)).toBe(instant)
  })

  afterEach(() => vi.unstubAllGlobals())

  it("converts a Date of another realm, and one from before a test replaced the class", () => {
    expect(instantOfInput(runInNewContext("new Date(instant)", { instant }))).toBe(instant)
    const earlier = new Date(instant)
    vi.stubGlobal("Date", class extends Date {})
    expect(instantOfInput(earlier)).toBe(instant)
  })

  it("refuses an object that has the methods of a Date and no time", () => {
    expect(instantOfInput(Object.create(Date.prototype))).toBeUndefined()
  })

  it("converts the first and the last millisecond that ISO 8601 shows with a year of four digits", () => {
    for (const text of ["0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"]) {
      expect(formatInstant(instantOfInput(new Date(text))!)).toBe(text)
      const outside = Date.parse(text) + (text.startsWith("0") ? -1 : 1)
      expect(instantOfInput(outside)).toBeUndefined()
    }
  })

  it.each([
    new Date(Number.NaN),
    Number.NaN,
    Number.POSITIVE_INFINITY,
    0.5,
    9e15,
    "2026-12-24",
    "",
    null,
    undefined,
    {},
    { getTime: (): number => 0 },
    []
  ])("refuses the value %j, which is not a time", (value) => {
    expect(instantOfInput(value)).toBeUndefined()
  })
})
