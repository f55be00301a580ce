/**
 * Finds the contacts of a project by a part of a text, with the index of three-character sequences. The row ids of a project are in one range, so
 * that a search reads no entry of another project.
 */
import { codePoints, foldedParts, newestFirst } from "@mailkeep/core/adapter/evaluation"
import { rowRangeOf } from "./contactWrites.ts"
import type { Prepared } from "./recordTable.ts"

/** The text index contains sequences of three characters, so it finds no shorter text. */
const indexedCharactersMin = 3

/** The most matches that one query reads and sorts. A search with more matches is a scan of the contacts. */
export const sortedMatchesMax = 50_000

/** The values of `textCondition`. */
export type TextMatch = readonly [phrases: string, firstRow: number, lastRow: number]

/** The driver gives numbers as `REAL`, and the text index ignores a bound that is not an `INTEGER`. */
export const textCondition =
  "mailkeep_contact_texts MATCH ? AND found.rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)"

/** Quotes a text as one phrase of the query language of the index. */
const phraseOf = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** Returns `null` if the index cannot find the search, because a part is too short or the project never had a contact. */
export const textMatchOf = (
  connection: Prepared,
  projectId: string,
  search: string,
  emailPart: string | null
): TextMatch | null => {
  const parts = foldedParts(search)
  const emailParts = emailPart === null ? [] : foldedParts(emailPart)
  if ([...parts, ...emailParts].some((folded) => codePoints(folded) < indexedCharactersMin)) return null
  // The query language of the index ends at U+0000. No contact has this character.
  if (`${search}${emailPart ?? ""}`.includes("\0")) return null
  const range = rowRangeOf(connection, projectId)
  if (range === null) return null
  const phrases = [...parts.map(phraseOf), ...emailParts.map((part) => `email : ${phraseOf(part)}`)]
  return [phrases.join(" OR "), ...range]
}

/** Counts at most `max` + 1 matches. */
export const countMatches = (connection: Prepared, match: TextMatch, max: number): number =>
  connection
    .statement(`SELECT count(*) FROM (SELECT 1 FROM mailkeep_contact_texts AS found WHERE ${textCondition} LIMIT ?)`)
    .pluck()
    .get(...match, max + 1) as number

interface FoundContact {
  readonly id: string
  readonly createdAt: number
  readonly createdAtMax: number
}

/**
 * The ids of the newest matches, at most `count`. Reads the rows from the last row id, and ends as soon as no row before is newer. Contacts get
 * their row ids nearly in the order of their times, so that this reads few more rows than it returns. Returns `null` after `rowsMax` rows.
 */
export const newestMatches = (
  connection: Prepared,
  match: TextMatch,
  count: number,
  rowsMax = sortedMatchesMax
): ReadonlyArray<string> | null => {
  const rows = connection
    .statement(
      `SELECT id, created_at AS createdAt, created_at_max AS createdAtMax
FROM mailkeep_contact_texts AS found CROSS JOIN mailkeep_contacts ON mailkeep_contacts.row_id = found.rowid
WHERE ${textCondition} ORDER BY found.rowid DESC`
    )
    .iterate(...match) as IterableIterator<FoundContact>
  const found: Array<FoundContact> = []
  let checkAt = count
  for (const row of rows) {
    if (found.length === checkAt) {
      if (found.filter(({ createdAt }) => createdAt > row.createdAtMax).length >= count) break
      // Checks again after a quarter more, so that all checks together cost little more than the rows.
      checkAt = Math.ceil(checkAt * 1.25)
    }
    if (found.length === rowsMax) return null
    found.push(row)
  }
  return found
    .toSorted(newestFirst)
    .slice(0, count)
    .map(({ id }) => id)
}
