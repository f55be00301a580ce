import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { headerFieldIssues, headerFieldsMax } from "../../../src/domain/message/HeaderField.ts"

const issues = (headers: object) => headerFieldIssues(headers as never).map(({ path, code }) => [path.join("."), code])

describe("headerFieldIssues", () => {
  it("allows header fields of text, also List-Unsubscribe", () => {
    expect(
      issues({ "List-Unsubscribe": "<https://x.example/u>", "X-Order": "Nº 7 – ü", "List-Id": "x".repeat(998) })
    ).toEqual([])
  })

  it.each([
    ["From", "not_allowed_here"],
    ["bCC", "not_allowed_here"],
    ["Content-Transfer-Encoding", "not_allowed_here"],
    ["Resent-To", "not_allowed_here"],
    ["dkim-signature", "not_allowed_here"]
  ])("refuses the header field %s", (name, code) => {
    expect(issues({ [name]: "x" })).toEqual([[`headers.${name}`, code]])
  })

  it.each(["", "a b", "a:", "ü", "x\r\nBcc", "x".repeat(77)])("refuses the header field name %j", (name) => {
    expect(issues({ [name]: "x" })).toEqual([["headers", "invalid_value"]])
  })

  it.each([
    ["a\r\nBcc: eve@example.org", "invalid_value"],
    ["a\u2028b", "invalid_value"],
    ["\ud800", "invalid_value"],
    ["", "invalid_value"],
    ["x".repeat(999), "too_long"],
    [7, "invalid_type"]
  ])("refuses the header field value %j", (value, code) => {
    expect(issues({ "X-A": value })).toEqual([["headers.X-A", code]])
  })

  it("refuses a repeated header field, and more than 20 header fields", () => {
    expect(issues({ "X-A": "1", "x-a": "2" })).toEqual([["headers.x-a", "invalid_value"]])
    const many = Object.fromEntries(Array.from({ length: headerFieldsMax + 1 }, (_, n) => [`X-${n}`, "x"]))
    expect(issues(many)).toEqual([["headers", "too_many_items"]])
  })

  it("allows no header field that writes a second line", () => {
    const text = (letters: string) =>
      fc.oneof(
        fc.string({ unit: fc.constantFrom(...letters), maxLength: 6 }),
        fc.string({ unit: fc.constantFrom(...letters, ..."\r\n\0\u0085\u2028"), maxLength: 6 }),
        fc.string({ unit: "binary" })
      )
    let accepted = 0
    fc.assert(
      fc.property(text("Xyz-"), text("a 7é"), (name, value) => {
        if (headerFieldIssues({ [name]: value }).length > 0) return
        accepted++
        expect(`${name}: ${value}`.split(/[\r\n\0\u0085\u2028]/)).toHaveLength(1)
      }),
      { numRuns: 2000 }
    )
    expect(accepted).toBeGreaterThan(50)
  })
})
