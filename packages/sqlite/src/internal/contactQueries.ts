/**
 * Reads contacts: pages from an index, and pages of a scan that reads each contact.
 */
import type { AnswerOf, ContactRecord, ContactFilters, QueryOf } from "@mailkeep/core/adapter"
import { compileContactFilters } from "@mailkeep/core/adapter/evaluation"
import type { TextMatch } from "./contactTexts.ts"
import { countMatches, newestMatches, sortedMatchesMax, textCondition, textMatchOf } from "./contactTexts.ts"
import type { Prepared, Value } from "./recordTable.ts"
import { findAll } from "./recordTable.ts"
import { contacts } from "./tables.ts"

/** The most matches of the text index that one query counts: 0.1 s. */
const countedMatchesMax = 1_000_000

interface Rows {
  /** The SQL after `FROM`. */
  readonly from: string
  readonly where: ReadonlyArray<string>
  readonly values: ReadonlyArray<Value>
  /** The columns of the newest-first order. */
  readonly order: readonly [createdAt: string, id: string]
}

const contactOrder = ["mailkeep_contacts.created_at", "mailkeep_contacts.id"] as const

const byText = (match: TextMatch): Rows => ({
  from: "mailkeep_contact_texts AS found CROSS JOIN mailkeep_contacts ON mailkeep_contacts.row_id = found.rowid",
  where: [textCondition],
  values: match,
  order: contactOrder
})

const byList = (listId: string): Rows => ({
  from: "mailkeep_contacts_on_lists AS entry CROSS JOIN mailkeep_contacts ON mailkeep_contacts.id = entry.contact_id",
  where: ["entry.list_id = ?"],
  values: [listId],
  order: ["entry.created_at", "entry.contact_id"]
})

const byStatus = (emailStatus: string | null): Rows => ({
  from: `mailkeep_contacts INDEXED BY ${emailStatus === null ? "mailkeep_contacts_newest" : "mailkeep_contacts_of_status"}`,
  where: [],
  values: [],
  order: contactOrder
})

/** The end of a `SELECT` of the rows, newest first after a position. The caller appends a limit. */
const newest = (
  { from, where, values, order: [createdAt, id] }: Rows,
  { projectId, emailStatus, after }: Pick<QueryOf<"ContactPage">, "projectId" | "emailStatus" | "after">
): { readonly sql: string; readonly values: ReadonlyArray<Value> } => {
  const conditions = [
    ...where,
    "mailkeep_contacts.project_id = ?",
    ...(emailStatus === null ? [] : ["mailkeep_contacts.email_status = ?"]),
    ...(after === null ? [] : [`(${createdAt}, ${id}) < (?, ?)`])
  ]
  return {
    sql: `FROM ${from} WHERE ${conditions.join(" AND ")} ORDER BY ${createdAt} DESC, ${id} DESC`,
    values: [
      ...values,
      projectId,
      ...(emailStatus === null ? [] : [emailStatus]),
      ...(after === null ? [] : [after.createdAt, after.id])
    ]
  }
}

/** Selects the ids of the page first, then reads only those rows. */
const rowsOf = (connection: Prepared, ids: ReadonlyArray<unknown>): ReadonlyArray<ContactRecord> =>
  ids.length === 0
    ? []
    : findAll(
        connection,
        contacts,
        "WHERE id IN (SELECT value FROM json_each(?)) ORDER BY created_at DESC, id DESC",
        JSON.stringify(ids)
      )

export const contactPage = (connection: Prepared, query: QueryOf<"ContactPage">): AnswerOf<"ContactPage"> => {
  const { emailStatus, listId, skip, limit } = query
  const { sql, values } = newest(listId === null ? byStatus(emailStatus) : byList(listId), query)
  const ids = connection.statement(`SELECT mailkeep_contacts.id ${sql} LIMIT ? OFFSET ?`).pluck()
  return rowsOf(connection, ids.all(...values, limit, skip))
}

/** The rows that one page reads, and the filters that remain to be checked for each row. */
const scanSourceOf = (
  connection: Prepared,
  projectId: string,
  { search, emailPart, emailStatus, listId, segment }: ContactFilters
) => {
  const part = search === "" ? null : search
  const rest = { search: part, emailPart, emailStatus: null, listId: null, segment }
  const match = part === null ? null : textMatchOf(connection, projectId, part, emailPart)
  if (match !== null && countMatches(connection, match, sortedMatchesMax) <= sortedMatchesMax)
    return { rows: byText(match), rest: { ...rest, search: null, listId }, bounded: false }
  return { rows: listId === null ? byStatus(emailStatus) : byList(listId), rest, bounded: true }
}

type RowReader = readonly [columns: string, read: (row: unknown) => ContactRecord]

const wholeRow: RowReader = [contacts.columns("mailkeep_contacts"), contacts.fromRow]
const textsOnly: RowReader = ["email, first_name AS firstName, last_name AS lastName", (row) => row as ContactRecord]
const noColumns: RowReader = ["NULL", (row) => row as ContactRecord]

/** Reads the columns that the filters need. */
const readerFor = ({ segment, listId, search }: ContactFilters): RowReader => {
  if (segment !== null || listId !== null) return wholeRow
  return search === null ? noColumns : textsOnly
}

/** The answer to a search without other filters, or `null` if the text index alone cannot give it. */
const textScan = (
  connection: Prepared,
  {
    projectId,
    filters: { search, emailPart, emailStatus, listId, segment },
    after,
    skip,
    limit
  }: QueryOf<"ContactScan">
): AnswerOf<"ContactScan"> | null => {
  if (search === null || emailStatus !== null || listId !== null || segment !== null || after !== null) return null
  const match = textMatchOf(connection, projectId, search, emailPart)
  if (match === null) return null
  const matches = countMatches(connection, match, countedMatchesMax)
  if (matches > countedMatchesMax) return null
  const newestIds = newestMatches(connection, match, skip + limit)
  return newestIds === null ? null : { items: rowsOf(connection, newestIds.slice(skip)), matches, next: null }
}

interface ScannedRow {
  readonly scanned_id: string
  readonly scanned_at: number
}

export const contactScan = (connection: Prepared, query: QueryOf<"ContactScan">): AnswerOf<"ContactScan"> => {
  const found = textScan(connection, query)
  if (found !== null) return found
  const { projectId, filters, after, skip, limit, scanLimit } = query
  const { rows, rest, bounded } = scanSourceOf(connection, projectId, filters)
  const { sql, values } = newest(rows, { projectId, emailStatus: filters.emailStatus, after })
  const matches = compileContactFilters(rest)
  const [columns, read] = readerFor(rest)
  const select = `SELECT mailkeep_contacts.id AS scanned_id, mailkeep_contacts.created_at AS scanned_at, ${columns} ${sql} LIMIT ?`
  const ids: Array<string> = []
  let examined = 0
  let matching = 0
  let last: ScannedRow | undefined
  const limited = connection.statement(select).iterate(...values, bounded ? scanLimit + 1 : -1)
  for (const row of limited as IterableIterator<ScannedRow>) {
    if (bounded && examined === scanLimit)
      return {
        items: rowsOf(connection, ids),
        matches: matching,
        next: { createdAt: last!.scanned_at, id: last!.scanned_id }
      }
    examined++
    last = row
    if (!matches(read(row))) continue
    if (matching >= skip && ids.length < limit) ids.push(row.scanned_id)
    matching++
  }
  return { items: rowsOf(connection, ids), matches: matching, next: null }
}
