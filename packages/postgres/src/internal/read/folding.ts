/**
 * Case folding for a search in SQL. `lower` of a text with the collation "C" folds only ASCII letters, and `caseFold` of the core folds all. A row
 * therefore has the folded text of the core only where the two differ, which is rare.
 */
import { caseFold } from "@mailkeep/core/adapter/evaluation"

const foldAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** The case-folded text for a column beside the text, or `null` if `lower` gives the same. */
export const foldedOf = (text: string): string | null => {
  const folded = caseFold(text)
  return folded === foldAscii(text) ? null : folded
}

/** The SQL of the case-folded text of a column that has a second column with `foldedOf`. */
export const foldedColumn = (column: string): string => `coalesce(${column}_folded, lower(${column}))`

/** The SQL that tests whether a text contains one of the parts. */
export const containsSql = (text: string, parts: ReadonlyArray<string>): string =>
  `(${parts.map((part) => `strpos(${text}, ${part}) > 0`).join(" OR ")})`
