/**
 * Tests of the search for lines.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { lineBytesMax, scanLine, textOfLine } from "../../src/listener/lineScanner.ts"

const bytes = (text: string) => Buffer.from(text, "latin1")

describe("scanLine", () => {
  it.each([
    ["", { _tag: "Incomplete" }],
    ["NOOP", { _tag: "Incomplete" }],
    ["NOOP\r", { _tag: "Incomplete" }],
    ["NOOP\rQ", { _tag: "BareLineEnd" }],
    ["NOOP\r\r\n", { _tag: "BareLineEnd" }],
    ["NOOP\n", { _tag: "BareLineEnd" }],
    ["\n", { _tag: "BareLineEnd" }],
    ["a".repeat(lineBytesMax + 1), { _tag: "TooLong" }],
    [`${"a".repeat(lineBytesMax + 1)}\r\n`, { _tag: "TooLong" }]
  ])("finds no line in case %#", (text, expected) => {
    expect(scanLine(bytes(text))).toEqual(expected)
  })

  it("returns a line of the maximum length and the bytes after it", () => {
    const line = "a".repeat(lineBytesMax)
    expect(scanLine(bytes(`${line}\r\nNOOP\r\n`))).toEqual({
      _tag: "Line",
      line: bytes(line),
      rest: bytes("NOOP\r\n")
    })
  })

  it("returns a line only if it has no CR and no LF", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("\r", "\n", "a"), { maxLength: 12 }), (characters) => {
        const text = characters.join("")
        const scanned = scanLine(bytes(text))
        const end = text.search(/[\r\n]/)
        const isLine = end >= 0 && text.startsWith("\r\n", end)
        expect(scanned._tag === "Line").toBe(isLine)
        if (scanned._tag === "Line") expect(Buffer.from(scanned.line).toString("latin1")).toBe(text.slice(0, end))
      })
    )
  })
})

describe("textOfLine", () => {
  it("decodes a line of UTF-8", () => {
    expect(textOfLine(Buffer.from("MAIL FROM:<ä@example.org>"))).toBe("MAIL FROM:<ä@example.org>")
  })

  it.each([
    ["a NUL", Buffer.from("NO\0OP")],
    ["an escape character", Buffer.from("NOOP\u001b[2J")],
    ["a C1 control character", Buffer.from("NOOP\u0085")],
    ["bytes that are not UTF-8", Buffer.from([0x4e, 0xff, 0xfe])]
  ])("returns null for a line with %s", (_, line) => {
    expect(textOfLine(line)).toBe(null)
  })
})
