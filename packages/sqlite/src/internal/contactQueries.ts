/**
 * Reads contacts: pages that an index finds, and pieces of a walk that looks at each contact.
 */
import type { AnswerOf, Contact, ContactFilters, QueryOf } from "@mailkeep/core/domain"
import { codePoints, compileContactFilters, folded } from "@mailkeep/core/domain/evaluation"
import type { Prepared, Value } from "./recordTable.ts"
import { findAll } from "./recordTable.ts"
import { contacts } from "./tables.ts"

/** The text index is made of runs of three characters; it finds nothing shorter. */
const indexedCharactersMin = 3

/** Matches of the text index that one query reads and sorts; a search with more of them walks in pieces. */
const textMatchesMax = 50_000

interface Rows {
  /** What follows `FROM`. */
  readonly from: string
  readonly where: ReadonlyArray<string>
  readonly values: ReadonlyArray<Value>
  /** The columns of the newest-first order. */
  readonly order: readonly [createdAt: string, id: string]
}

const contactOrder = ["contacts.created_at", "contacts.id"] as const

const byText = (part: string): Rows => ({
  from: "contact_search AS found CROSS JOIN contacts ON contacts.place = found.rowid",
  where: ["contact_search MATCH ?"],
  values: [phraseOf(part)],
  order: contactOrder
})

const byList = (listId: string): Rows => ({
  from: "contacts_on_lists AS entry CROSS JOIN contacts ON contacts.id = entry.contact_id",
  where: ["entry.list_id = ?"],
  values: [listId],
  order: ["entry.created_at", "entry.contact_id"]
})

const byStatus = (emailStatus: string | null): Rows => ({
  from: `contacts INDEXED BY ${emailStatus === null ? "contacts_newest" : "contacts_of_status"}`,
  where: [],
  values: [],
  order: contactOrder
})

/** A text as one phrase of the index's query language. */
const phraseOf = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** The end of a `SELECT` over the rows, newest first after a position, to be completed with a limit. */
const newest = (
  { from, where, values, order: [createdAt, id] }: Rows,
  { projectId, emailStatus, after }: Pick<QueryOf<"ContactPage">, "projectId" | "emailStatus" | "after">
): { readonly sql: string; readonly values: ReadonlyArray<Value> } => {
  const conditions = [
    ...where,
    "contacts.project_id = ?",
    ...(emailStatus === null ? [] : ["contacts.email_status = ?"]),
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

/** The page is chosen among ids before whole rows are read. */
const rowsOf = (on: Prepared, ids: ReadonlyArray<unknown>): ReadonlyArray<Contact> =>
  ids.length === 0
    ? []
    : findAll(
        on,
        contacts,
        "WHERE id IN (SELECT value FROM json_each(?)) ORDER BY created_at DESC, id DESC",
        JSON.stringify(ids)
      )

export const contactPage = (on: Prepared, query: QueryOf<"ContactPage">): AnswerOf<"ContactPage"> => {
  const { emailStatus, listId, skip, limit } = query
  const { sql, values } = newest(listId === null ? byStatus(emailStatus) : byList(listId), query)
  const ids = on.statement(`SELECT contacts.id ${sql} LIMIT ? OFFSET ?`).pluck()
  return rowsOf(on, ids.all(...values, limit, skip))
}

const hasFewTextMatches = (on: Prepared, part: string): boolean => {
  const count = on
    .statement("SELECT count(*) FROM (SELECT 1 FROM contact_search WHERE contact_search MATCH ? LIMIT ?)")
    .pluck()
    .get(phraseOf(part), textMatchesMax + 1) as number
  return count <= textMatchesMax
}

/** The rows that one piece looks at, and the part of the filters that is left for each of them. */
const walkOf = (on: Prepared, { search, emailStatus, listId, segment }: ContactFilters) => {
  const part = search === null || search === "" ? null : folded(search)
  const rest = { search: part, emailStatus: null, listId: null, segment }
  if (part !== null && codePoints(part) >= indexedCharactersMin && hasFewTextMatches(on, part))
    return { rows: byText(part), rest: { ...rest, search: null, listId }, bounded: false }
  return { rows: listId === null ? byStatus(emailStatus) : byList(listId), rest, bounded: true }
}

const readRow: Readonly<
  Record<"whole" | "texts" | "none", readonly [columns: string, read: (row: unknown) => Contact]>
> = {
  whole: [contacts.columns("contacts"), contacts.fromRow],
  texts: ["email, first_name AS firstName, last_name AS lastName", (row) => row as Contact],
  none: ["NULL", (row) => row as Contact]
}

export const contactScan = (on: Prepared, query: QueryOf<"ContactScan">): AnswerOf<"ContactScan"> => {
  const { projectId, filters, after, skip, limit, scanLimit } = query
  const { rows, rest, bounded } = walkOf(on, filters)
  const { sql, values } = newest(rows, { projectId, emailStatus: filters.emailStatus, after })
  const matches = compileContactFilters(rest)
  const [columns, read] =
    readRow[rest.segment !== null || rest.listId !== null ? "whole" : rest.search !== null ? "texts" : "none"]
  const select = `SELECT contacts.id AS scanned_id, contacts.created_at AS scanned_at, ${columns} ${sql} LIMIT ?`
  const ids: Array<string> = []
  let looked = 0
  let matching = 0
  let last: { readonly scanned_id: string; readonly scanned_at: number } | undefined
  for (const row of on.statement(select).iterate(...values, bounded ? scanLimit + 1 : -1)) {
    if (bounded && looked++ === scanLimit)
      return {
        items: rowsOf(on, ids),
        matches: matching,
        next: { createdAt: last!.scanned_at, id: last!.scanned_id }
      }
    last = row as typeof last
    if (!matches(read(row))) continue
    if (matching++ >= skip && ids.length < limit) ids.push(last!.scanned_id)
  }
  return { items: rowsOf(on, ids), matches: matching, next: null }
}
