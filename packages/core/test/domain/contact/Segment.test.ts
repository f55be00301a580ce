import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { parseCreateSegment, parseUpdateSegment } from "../../../src/domain/contact/Segment.ts"

const condition = { field: "email", op: "contains", value: "a" }
const wide = { all: Array.from({ length: 99 }, () => condition) }
const nested = (depth: number): object =>
  Array.from({ length: depth }).reduce<object>((inner) => ({ not: inner }), condition)

describe("parseCreateSegment", () => {
  it.each([
    ["99 conditions", wide],
    ["8 levels", nested(7)],
    [
      "two lists of 100 short choices",
      {
        any: [1, 2].map(() => ({
          field: "email",
          op: "in",
          value: Array.from({ length: 100 }, (_, n) => `choice ${n}`)
        }))
      }
    ]
  ])("allows a filter of %s", (_, filter) => {
    expect(Result.isSuccess(parseCreateSegment({ name: "s", filter }))).toBe(true)
  })

  it.each([
    [
      "more than 16 KiB of choices",
      { field: "email", op: "in", value: Array.from({ length: 100 }, () => "x".repeat(200)) }
    ],
    ["a million conditions", { all: Array.from({ length: 1_000_000 }, () => 1) }],
    ["100,000 levels", nested(100_000)]
  ])("refuses a filter of %s and names the field", (_, filter) => {
    for (const parsed of [parseCreateSegment({ name: "s", filter }), parseUpdateSegment({ filter })])
      expect(parsed).toMatchObject({ failure: [{ path: ["filter"], code: "too_large" }] })
  })
})
