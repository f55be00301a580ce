/**
 * Tests of the reader of text with flowed lines.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { joinFlowedLines } from "../../src/mime/flowedText.ts"

/** Writes each line as RFC 3676 §4.2 asks, with soft line breaks after `width` characters. */
const flowed = (text: string, width: number): string =>
  text
    .split("\n")
    .flatMap((line) => {
      const pieces: Array<string> = []
      let left = line
      while (left.length > width) {
        const space = left.lastIndexOf(" ", width)
        if (space <= 0) break
        pieces.push(left.slice(0, space + 1))
        left = left.slice(space + 1)
      }
      return [...pieces, left]
    })
    .map((line) => (/^(?: |>|From )/.test(line) ? ` ${line}` : line))
    .join("\n")

describe("joinFlowedLines", () => {
  it.each([
    [
      "joins the lines of a paragraph",
      "Dear Ada, \nthe order \nis here.\n\nBye",
      "Dear Ada, the order is here.\n\nBye"
    ],
    [
      "removes the space before other characters",
      "  indented\n > no quote\n From us",
      " indented\n> no quote\nFrom us"
    ],
    ["joins the lines of a quote", ">> Is it \n>> here?\n> Yes, \n> it is.", ">> Is it here?\n> Yes, it is."],
    ["ends a paragraph where the depth of the quote changes", "> Is it \nYes", "> Is it \nYes"],
    ["does not join a signature", "Bye, \n-- \nAda \nShop", "Bye, \n-- \nAda Shop"],
    ["does not join the signature of a quote", "> Bye \n> -- \n> Ada", "> Bye \n> -- \n> Ada"],
    ["keeps a soft line break at the end", "Hi ", "Hi "],
    ["keeps an empty text", "", ""],
    ["keeps empty quoted lines", ">\n> a\n>", ">\n> a\n>"]
  ])("%s", (_, text, joined) => {
    expect(joinFlowedLines(text, false)).toBe(joined)
  })

  it("deletes the space of a soft line break when the text says so", () => {
    expect(joinFlowedLines("こん \nにちは\nan  \norder", true)).toBe("こんにちは\nan order")
  })

  it("returns any text that was written with flowed lines", () => {
    const line = fc.stringMatching(/^[a-z> ]*[a-z]$/).filter((one) => !one.startsWith(">"))
    fc.assert(
      fc.property(fc.array(line), fc.integer({ min: 1, max: 20 }), (lines, width) => {
        expect(joinFlowedLines(flowed(lines.join("\n"), width), false)).toBe(lines.join("\n"))
      })
    )
  })
})
