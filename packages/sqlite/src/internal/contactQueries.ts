/**
 * Reads contacts: pages from an index, and pages of a walk that reads each contact.
 */
import type { AnswerOf, ContactRecord, ContactFilters, QueryOf } from "@mailkeep/core/adapter"
import { codePoints, compileContactFilters, caseFold } from "@mailkeep/core/adapter/evaluation"
import type { Prepared, Value } from "./recordTable.ts"
import { findAll } from "./recordTable.ts"
import { contacts } from "./tables.ts"

/** The text index contains sequences of three characters, so it finds no shorter text. */
const indexedCharactersMin = 3

/** The most matches of the text index that one query reads and sorts. A search with more matches is a walk over the contacts. */
const textMatchesMax = 50_000

interface Rows {
  /** The SQL after `FROM`. */
  readonly from: string
  readonly where: ReadonlyArray<string>
  readonly values: ReadonlyArray<Value>
  /** The columns of the newest-first order. */
  readonly order: readonly [createdAt: string, id: string]
}

const contactOrder = ["mailkeep_contacts.created_at", "mailkeep_contacts.id"] as const

const byText = (part: string): Rows => ({
  from: "mailkeep_contact_search AS found CROSS JOIN mailkeep_contacts ON mailkeep_contacts.row_id = found.rowid",
  where: ["mailkeep_contact_search MATCH ?"],
  values: [phraseOf(part)],
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

/** Quotes a text as one phrase of the query language of the index. */
const phraseOf = (text: string): string => `"${text.replaceAll('"', '""')}"`

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

const hasFewTextMatches = (connection: Prepared, part: string): boolean => {
  const count = connection
    .statement(
      "SELECT count(*) FROM (SELECT 1 FROM mailkeep_contact_search WHERE mailkeep_contact_search MATCH ? LIMIT ?)"
    )
    .pluck()
    .get(phraseOf(part), textMatchesMax + 1) as number
  return count <= textMatchesMax
}

/** The rows that one page reads, and the filters that remain to be checked for each row. */
const walkOf = (connection: Prepared, { search, emailStatus, listId, segment }: ContactFilters) => {
  const part = search === null || search === "" ? null : caseFold(search)
  const rest = { search: part, emailStatus: null, listId: null, segment }
  if (part !== null && codePoints(part) >= indexedCharactersMin && hasFewTextMatches(connection, part))
    return { rows: byText(part), rest: { ...rest, search: null, listId }, bounded: false }
  return { rows: listId === null ? byStatus(emailStatus) : byList(listId), rest, bounded: true }
}

const readRow: Readonly<
  Record<"whole" | "texts" | "none", readonly [columns: string, read: (row: unknown) => ContactRecord]>
> = {
  whole: [contacts.columns("mailkeep_contacts"), contacts.fromRow],
  texts: ["email, first_name AS firstName, last_name AS lastName", (row) => row as ContactRecord],
  none: ["NULL", (row) => row as ContactRecord]
}

export const contactScan = (connection: Prepared, query: QueryOf<"ContactScan">): AnswerOf<"ContactScan"> => {
  const { projectId, filters, after, skip, limit, scanLimit } = query
  const { rows, rest, bounded } = walkOf(connection, filters)
  const { sql, values } = newest(rows, { projectId, emailStatus: filters.emailStatus, after })
  const matches = compileContactFilters(rest)
  const [columns, read] =
    readRow[rest.segment !== null || rest.listId !== null ? "whole" : rest.search !== null ? "texts" : "none"]
  const select = `SELECT mailkeep_contacts.id AS scanned_id, mailkeep_contacts.created_at AS scanned_at, ${columns} ${sql} LIMIT ?`
  const ids: Array<string> = []
  let looked = 0
  let matching = 0
  let last: { readonly scanned_id: string; readonly scanned_at: number } | undefined
  for (const row of connection.statement(select).iterate(...values, bounded ? scanLimit + 1 : -1)) {
    if (bounded && looked++ === scanLimit)
      return {
        items: rowsOf(connection, ids),
        matches: matching,
        next: { createdAt: last!.scanned_at, id: last!.scanned_id }
      }
    last = row as typeof last
    if (!matches(read(row))) continue
    if (matching++ >= skip && ids.length < limit) ids.push(last!.scanned_id)
  }
  return { items: rowsOf(connection, ids), matches: matching, next: null }
}
