/**
 * The search for a part of a text, without regard to case. Every store uses these functions, because databases differ in their rules for case.
 */

/** Folds the case of a text for searches. Every store uses this function, because databases differ in their lower case. */
export const caseFold = (text: string): string => text.toLowerCase()

/**
 * The case-folded texts of which a searched text contains one if it contains the part: one text, except for a part with the Greek letter sigma. A capital
 * sigma at the end of a word becomes another small letter than within a word. The part does not show which letters come before and after it.
 */
export const foldedParts = (part: string): ReadonlyArray<string> => {
  if (!/[Σσς]/.test(part)) return [caseFold(part)]
  const capital = part.replace(/[σς]/g, "Σ")
  const forms = ["", "a"].flatMap((before) =>
    ["", "a"].map((after) => caseFold(before + capital + after).slice(before.length, -after.length || undefined))
  )
  return [...new Set(forms)]
}

/** The case-folded texts of which an address contains one if a search finds the address. `part` is the search with its domain in A-labels. */
export const foldedAddressParts = (search: string, part: string | null): ReadonlyArray<string> =>
  part === null ? foldedParts(search) : [...foldedParts(search), ...foldedParts(part)]

/** Whether a case-folded text contains one of the `foldedParts` of a part. */
export const containsPart = (foldedText: string, parts: ReadonlyArray<string>): boolean =>
  parts.some((part) => foldedText.includes(part))
