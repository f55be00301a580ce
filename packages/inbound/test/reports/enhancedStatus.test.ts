import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { chosenStatus, codesIn, shownDiagnostic, statusOfField } from "../../src/reports/enhancedStatus.ts"

describe("codesIn", () => {
  it.each<[string, number | null, string | null]>([
    ["550 5.1.1 no such user", 550, "5.1.1"],
    ["550-5.7.26 one 550-5.7.26 two 550 5.7.26 three", 550, "5.7.26"],
    ["554 4.4.7 message expired <421 4.4.2 connection lost>", 421, "4.4.2"],
    ["5.1.0 - address error 550-'5.2.2 mailbox full'", 550, "5.2.2"],
    ["5.3.0 - other problem 550-'unknown user'", 550, "5.3.0"],
    ["ERROR_CODE :550, ERROR_CODE :5.1.1 <a@b.example>", 550, "5.1.1"],
    ["host mx.example.org[192.0.2.1] said: 550 <a@b.example>: unknown", 550, null],
    ["no mailbox here (#5.1.1)", null, "5.1.1"],
    ["550 5.001.01 padded", 550, "5.1.1"],
    ["250 2.1.5 delivered", 250, "2.1.5"],
    ["from 192.0.2.25 and 5.1.1.1, version 5.10.2.1", null, null],
    ["[2001:db8::550:1]:25: socket error", null, null],
    ["size 250 of 1550", null, null],
    ["", null, null]
  ])("finds the codes in %j", (text, smtpCode, enhancedCode) => {
    expect(codesIn(text)).toEqual({ smtpCode, enhancedCode })
  })
})

describe("statusOfField", () => {
  it.each<[string | null, string | null]>([
    ["5.1.1", "5.1.1"],
    [" 5.0.0 (permanent failure)", "5.0.0"],
    ["4.04.007", "4.4.7"],
    ["failed", null],
    ["3.1.1", null],
    [null, null]
  ])("reads the status %j", (value, status) => {
    expect(statusOfField(value)).toBe(status)
  })
})

describe("chosenStatus", () => {
  it.each<[string | null, string | null, string | null]>([
    [null, null, null],
    ["5.1.1", null, "5.1.1"],
    [null, "5.1.1", "5.1.1"],
    ["5.0.0", "5.2.2", "5.2.2"],
    ["5.1.1", "5.7.1", "5.7.1"],
    ["5.1.1", "5.0.0", "5.1.1"],
    ["5.2.1", "5.5.0", "5.2.1"],
    ["5.0.0", "4.2.2", "4.2.2"],
    ["4.4.7", "5.1.1", "4.4.7"],
    ["2.0.0", "5.1.1", "2.0.0"]
  ])(
    "chooses for the status %s of the reporter and %s of the remote system the status %s",
    (reported, remote, chosen) => {
      expect(chosenStatus(reported, remote)).toBe(chosen)
    }
  )
})

describe("shownDiagnostic", () => {
  it("returns one bounded line without control characters for any text", () => {
    const long = fc.tuple(fc.string({ unit: "binary" }), fc.nat(600)).map(([piece, times]) => piece.repeat(times))
    fc.assert(
      fc.property(long, (text) => {
        const shown = shownDiagnostic(text)
        expect(shown.length).toBeLessThanOrEqual(1000)
        expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e\u200b]/)
        expect(shown.isWellFormed()).toBe(true)
        expect(shownDiagnostic(shown)).toBe(shown)
      })
    )
  })

  it("ends with no space when it is shortened", () => {
    expect(shownDiagnostic(`${"x".repeat(999)} y`)).toBe("x".repeat(999))
  })

  it("joins the lines of a reply", () => {
    expect(shownDiagnostic("550-one\r\n\t 550 two\u0000")).toBe("550-one 550 two")
  })
})
