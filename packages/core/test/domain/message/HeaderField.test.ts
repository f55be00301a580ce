import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { areSafeHeaderFields, headerFieldIssues, headerFieldsMax } from "../../../src/domain/message/HeaderField.ts"

const issues = (headers: object) => headerFieldIssues(headers as never).map(({ path, code }) => [path.join("."), code])

describe("headerFieldIssues", () => {
  it("allows header fields of text, also List-Unsubscribe", () => {
    expect(
      issues({ "List-Unsubscribe": "<https://x.example/u>", "X-Order": "Nº 7 – ü", "X-A": "x".repeat(998) })
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

  it.each([
    ["a name of a list that is not ASCII", "List-Id", "Müller Nachrichten <news.acme.example>"],
    ["a quoted name of a list", "List-Id", '"Müller, Nachrichten" <news.acme.example>'],
    ["the id of a list", "List-Id", "<news.acme.example>"],
    ["a name before an address", "Disposition-Notification-To", "Müller <mueller@acme.example>"],
    ["two addresses in ASCII", "Disposition-Notification-To", "a@acme.example, B <b@acme.example>"],
    ["a token", "OTP-Token", '"123456"; origin="https://acme.example"'],
    ["a URL of 997 characters", "List-Unsubscribe", `<https://x.example/${"u".repeat(977)}>`],
    ["two URLs", "List-Unsubscribe", "<mailto:u@x.example>, <https://x.example/u>"],
    ["an id of 997 characters", "References", `<${"a".repeat(995)}>`],
    ["two ids", "References", "<1@x.example> <2@x.example>"],
    ["an id without angle brackets", "In-Reply-To", "1@x.example"]
  ])("allows %s", (_, name, value) => {
    expect(issues({ [name]: value })).toEqual([])
  })

  it.each([
    ["the id of a list that is not ASCII", "List-Id", "Nachrichten <müller.acme.example>", "invalid_value"],
    ["a name of a list without an id", "list-id", "Müller", "invalid_value"],
    ["a name after the id of a list", "List-Id", "<a.example> Müller", "invalid_value"],
    ["an address that is not ASCII", "Disposition-Notification-To", "Müller <müller@acme.example>", "invalid_value"],
    ["an address alone that is not ASCII", "Disposition-Notification-To", "müller@acme.example", "invalid_value"],
    ["a token that is not ASCII", "OTP-Token", '"123456"; origin="https://bücher.example"', "invalid_value"],
    ["the id of a list with 998 characters", "List-Id", "x".repeat(998), "too_long"],
    ["a URL that is not ASCII", "List-Unsubscribe", "<https://x.example/ä>", "invalid_value"],
    ["a URL of 998 characters", "List-Post", `<https://x.example/${"u".repeat(978)}>`, "too_long"],
    ["an id of 998 characters", "References", `<${"a".repeat(996)}>`, "too_long"],
    ["an id that gets 998 characters with angle brackets", "References", "a".repeat(996), "too_long"],
    ["an id of 998 characters with the text before it", "References", `a<<< <${"a".repeat(991)}>`, "too_long"],
    ["an id that is not ASCII", "In-Reply-To", "<grüße.1@x.example>", "invalid_value"]
  ])("refuses %s, because it cannot be sent", (_, name, value, code) => {
    expect(issues({ [name]: value })).toEqual([[`headers.${name}`, code]])
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

describe("areSafeHeaderFields", () => {
  it("allows the fields of a stored message that an earlier version has accepted, and two more for the link to unsubscribe", () => {
    const accepted = { "In-Reply-To": "<grüße.1@x.example>", "List-Post": "x".repeat(998) }
    expect(areSafeHeaderFields(accepted)).toBe(true)
    const many = Object.fromEntries(Array.from({ length: headerFieldsMax + 2 }, (_, n) => [`X-${n}`, "x"]))
    expect(areSafeHeaderFields(many)).toBe(true)
    expect(areSafeHeaderFields({ ...many, "X-Last": "x" })).toBe(false)
  })

  it("refuses a value that could write a second line", () => {
    expect(areSafeHeaderFields({ "X-A": "a\r\nBcc: eve@x.example" })).toBe(false)
  })
})
