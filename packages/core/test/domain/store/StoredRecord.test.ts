/**
 * The order of record keys, and the comparison of records.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compareRecordKeys, isSameRecord } from "../../../src/domain/store/StoredRecord.ts"

describe("compareRecordKeys", () => {
  it("orders texts as their UTF-8 bytes, also beyond the basic plane", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
        expect(Math.sign(compareRecordKeys([a], [b]))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }),
      {
        examples: [
          ["\u{1f389}", "\uffff"],
          ["a\u{10000}", "a\ue000"]
        ]
      }
    )
  })

  it("orders keys by their first part that differs, and numbers by their value", () => {
    expect(compareRecordKeys(["a", "z"], ["b", "a"])).toBeLessThan(0)
    expect(compareRecordKeys(["a", 2], ["a", 10])).toBeLessThan(0)
    expect(compareRecordKeys(["a", 2], ["a", 2])).toBe(0)
  })
})

describe("isSameRecord", () => {
  const setting = (value: unknown) => ({ kind: "Setting", record: { name: "a", value } }) as never

  it("compares values and not the order of fields", () => {
    expect(isSameRecord(setting({ a: 1, b: [2] }), setting({ b: [2], a: 1 }))).toBe(true)
  })

  it.each([
    [{ a: 1 }, { a: 1, b: null }],
    [
      { a: 1, b: 2 },
      { a: 1, c: 2 }
    ],
    [
      [1, 2],
      [2, 1]
    ],
    [[1], { 0: 1 }],
    ["1", 1],
    [null, {}]
  ])("finds the difference of %j and %j", (a, b) => {
    expect(isSameRecord(setting(a), setting(b))).toBe(false)
    expect(isSameRecord(setting(b), setting(a))).toBe(false)
  })
})
