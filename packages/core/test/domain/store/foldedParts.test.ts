import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { caseFold, containsPart, foldedParts } from "../../../src/domain/store/textSearch.ts"

/** Letters whose small form depends on other letters, or that have more than one small letter, and characters beside them. */
const text = fc.string({
  unit: fc.constantFrom("Σ", "Ο", "α", "İ", "ß", "A", "é", "\u0301", " ", ".", "'", "1", "🎉"),
  maxLength: 8
})

describe("foldedParts", () => {
  it("has a form of each part of a text that the folded text contains", () => {
    fc.assert(
      fc.property(text, text, text, (before, part, after) => {
        expect(containsPart(caseFold(before + part + after), foldedParts(part))).toBe(true)
        expect(containsPart(caseFold(before + part + after), foldedParts(caseFold(part)))).toBe(true)
      })
    )
  })

  it.each([
    ["ADA", ["ada"]],
    ["ΟΔΟ", ["οδο"]],
    ["ΟΔΟΣ", ["οδος", "οδοσ"]],
    ["οδος", ["οδος", "οδοσ"]],
    ["Σ", ["σ", "ς"]],
    ["ΣΙΑ", ["σια"]],
    ["Σ ΟΔΟΣ", ["σ οδος", "σ οδοσ", "ς οδος", "ς οδοσ"]]
  ])("has the forms of %j", (part, forms) => {
    expect(foldedParts(part)).toEqual(forms)
  })
})
