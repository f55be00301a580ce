/**
 * Tests of the form in which the text of a remote system is kept and shown.
 */
import { describe, expect, it } from "vitest"
import { shownText } from "../../../src/domain/value/shownText.ts"

describe("shownText", () => {
  it.each([
    ["an escape of a terminal", "a\u001b[2Jb", "a [2Jb"],
    ["a line end", "a\r\nb", "a b"],
    ["a line separator and a paragraph separator", "a\u2028\u2029b", "a b"],
    ["characters that change the text direction", "a\u202eb\u2066c\u200fd\u061ce", "a b c d e"]
  ])("replaces %s with a space", (_, text, shown) => {
    expect(shownText(text)).toBe(shown)
  })

  it("keeps other text, and cuts it without half of a character", () => {
    expect(shownText("Größe 大 😀")).toBe("Größe 大 😀")
    expect(shownText(`${"x".repeat(999)}😀`)).toBe(`${"x".repeat(999)}\ufffd`)
  })
})
