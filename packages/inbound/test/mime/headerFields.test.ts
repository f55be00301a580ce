import { describe, expect, it } from "vitest"
import { firstValue, headerFieldsOf, valuesOf, withParameters } from "../../src/mime/headerFields.ts"

describe("headerFieldsOf", () => {
  it("unfolds a value, folds the name to lower case and keeps repeated fields in order", () => {
    const fields = headerFieldsOf("Subject: one\r\n two\r\nReceived: a\r\nRECEIVED: b\r\n")
    expect(firstValue(fields, "subject")).toBe("one two")
    expect(valuesOf(fields, "received")).toEqual(["a", "b"])
    expect(valuesOf(fields, "to")).toEqual([])
    expect(firstValue(fields, "to")).toBeNull()
  })

  it("skips lines that are no field", () => {
    const fields = headerFieldsOf("From ada Mon Jan 5\n leading continuation\nno field here\nTo : ada@example.org")
    expect([...fields]).toEqual([["to", ["ada@example.org"]]])
  })

  it("reads a value with a line separator of Unicode, which ends no line", () => {
    expect([...headerFieldsOf("To: a\u2028b\r\nSubject: c\u2029")]).toEqual([
      ["to", ["a\u2028b"]],
      ["subject", ["c"]]
    ])
  })

  it("cuts a value at 16,384 characters", () => {
    expect(firstValue(headerFieldsOf(`A: ${"x\n x".repeat(20_000)}`), "a")?.length).toBe(16_384)
  })
})

describe("withParameters", () => {
  it.each<[string, string, ReadonlyArray<[string, string]>]>([
    ["Text/Plain", "text/plain", []],
    ["text/plain; charset=UTF-8", "text/plain", [["charset", "UTF-8"]]],
    ["text/plain (a text) ; charset=UTF-8", "text/plain", [["charset", "UTF-8"]]],
    [
      'multipart/report; report-type=delivery-status;\tboundary="a; \\"b\\""',
      "multipart/report",
      [
        ["report-type", "delivery-status"],
        ["boundary", 'a; "b"']
      ]
    ],
    [
      "text/plain; charset=us-ascii (plain text); name=a b.txt",
      "text/plain",
      [
        ["charset", "us-ascii"],
        ["name", "a b.txt"]
      ]
    ],
    ["multipart/mixed; boundary=one; boundary=two", "multipart/mixed", [["boundary", "one"]]],
    ["", "", []]
  ])("reads %j", (text, value, parameters) => {
    const read = withParameters(text)
    expect(read.value).toBe(value)
    expect([...read.parameters]).toEqual(parameters)
  })
})
