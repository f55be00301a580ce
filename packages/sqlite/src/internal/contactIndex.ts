/**
 * Contacts: their row, and beside it what finds them by a part of a text and by list.
 */
import type { AnswerOf, ConflictReason, Contact, ContactFilters, QueryOf } from "@mailkeep/core/domain"
import { codePoints, folded, revisionConflict, searchedTexts } from "@mailkeep/core/domain"
import { compilePredicate } from "./contactPredicate.ts"
import type { Prepared, Value } from "./recordTable.ts"
import { findAll, findOne } from "./recordTable.ts"
import { contacts } from "./tables.ts"

/** The index of texts knows three letters at a time; a shorter search looks at every contact of the project. */
const lettersMin = 3

const unindexText = (on: Prepared, place: number): void => {
  on.statement("DELETE FROM contact_search WHERE rowid = ?").run(place)
}

const indexText = (on: Prepared, place: number, [email, name]: readonly [string, string]): void => {
  on.statement("INSERT INTO contact_search (rowid, email, name) VALUES (?, ?, ?)").run(place, email, name)
}

const unindexLists = (on: Prepared, { id, createdAt, listIds }: Contact): void => {
  for (const listId of listIds)
    on.statement("DELETE FROM contacts_on_lists WHERE list_id = ? AND created_at = ? AND contact_id = ?").run(
      listId,
      createdAt,
      id
    )
}

const indexLists = (on: Prepared, { id, createdAt, listIds }: Contact): void => {
  for (const listId of listIds)
    on.statement("INSERT INTO contacts_on_lists (list_id, created_at, contact_id) VALUES (?, ?, ?)").run(
      listId,
      createdAt,
      id
    )
}

const placeOf = (on: Prepared, id: string): number =>
  on.statement("SELECT place FROM contacts WHERE id = ?").pluck().get(id) as number

const same = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((one, n) => one === b[n])

const addressHeld = ({ projectId, address, id }: Contact, on: Prepared): boolean =>
  on
    .statement("SELECT 1 FROM contacts WHERE project_id = ? AND address = ? AND id <> ?")
    .get(projectId, address, id) !== undefined

export const putContact = (on: Prepared, contact: Contact, replaces: number | null): ConflictReason | undefined => {
  if (replaces === null) {
    const { changes, lastInsertRowid } = on
      .statement(contacts.insertNew)
      .run(...contacts.valuesOf(contact, contacts.fields))
    if (changes === 0) return "AlreadyExists"
    indexText(on, Number(lastInsertRowid), searchedTexts(contact))
    indexLists(on, contact)
    return undefined
  }
  const standing = findOne(on, contacts, "WHERE id = ?", contact.id)
  const guard = revisionConflict(standing, replaces)
  if (standing === null || guard !== undefined) return guard
  if (contact.address !== standing.address && addressHeld(contact, on)) return "AlreadyExists"
  on.statement(`UPDATE contacts SET ${contacts.assignments(contacts.fields)} WHERE id = ?`).run(
    ...contacts.valuesOf(contact, contacts.fields),
    contact.id
  )
  const [before, after] = [searchedTexts(standing), searchedTexts(contact)]
  if (!same(before, after)) {
    const place = placeOf(on, contact.id)
    unindexText(on, place)
    indexText(on, place, after)
  }
  if (!same(standing.listIds, contact.listIds) || standing.createdAt !== contact.createdAt) {
    unindexLists(on, standing)
    indexLists(on, contact)
  }
  return undefined
}

export const removeContact = (on: Prepared, id: string, revision: number): ConflictReason | undefined => {
  const standing = findOne(on, contacts, "WHERE id = ?", id)
  const guard = revisionConflict(standing, revision)
  if (standing === null || guard !== undefined) return guard ?? "NotFound"
  unindexText(on, placeOf(on, id))
  unindexLists(on, standing)
  on.statement("DELETE FROM contacts WHERE id = ?").run(id)
  return undefined
}

interface Finding {
  /** What follows `FROM`. */
  readonly from: string
  readonly where: string
  readonly values: ReadonlyArray<Value>
}

/** The narrowest way in comes first; `CROSS JOIN` keeps it there. */
const finding = (projectId: string, { search, emailStatus, listId, segment }: ContactFilters): Finding => {
  const part = search === null || search === "" ? null : folded(search)
  const indexed = part !== null && codePoints(part) >= lettersMin
  const joins: Array<string> = []
  const wheres: Array<string> = []
  const values: Array<Value> = []
  if (indexed) {
    joins.push("contact_search AS found CROSS JOIN contacts ON contacts.place = found.rowid")
    wheres.push("contact_search MATCH ?")
    values.push(`"${part.replaceAll('"', '""')}"`)
    if (listId !== null) {
      wheres.push(
        "EXISTS (SELECT 1 FROM contacts_on_lists AS entry WHERE entry.list_id = ? AND entry.created_at = contacts.created_at AND entry.contact_id = contacts.id)"
      )
      values.push(listId)
    }
  } else if (listId !== null) {
    joins.push("contacts_on_lists AS entry CROSS JOIN contacts ON contacts.id = entry.contact_id")
    wheres.push("entry.list_id = ?")
    values.push(listId)
  } else joins.push(`contacts INDEXED BY ${emailStatus === null ? "contacts_newest" : "contacts_of_status"}`)
  wheres.push("contacts.project_id = ?")
  values.push(projectId)
  if (emailStatus !== null) {
    wheres.push("email_status = ?")
    values.push(emailStatus)
  }
  if (part !== null && !indexed) {
    wheres.push("(instr(folded(email), ?) > 0 OR instr(folded(first_name || ' ' || last_name), ?) > 0)")
    values.push(part, part)
  }
  if (segment !== null) {
    const { sql, values: named } = compilePredicate(segment)
    wheres.push(sql)
    values.push(...named)
  }
  return { from: joins.join(" "), where: wheres.join(" AND "), values }
}

const fromList = ({ from }: Finding): boolean => from.startsWith("contacts_on_lists")

export const contactPage = (
  on: Prepared,
  { projectId, filters, after, skip, limit }: QueryOf<"ContactPage">
): AnswerOf<"ContactPage"> => {
  const found = finding(projectId, filters)
  const [createdAt, id] = fromList(found)
    ? ["entry.created_at", "entry.contact_id"]
    : ["contacts.created_at", "contacts.id"]
  const position = after === null ? "" : `AND (${createdAt}, ${id}) < (?, ?)`
  // The page is chosen among ids before whole rows are read.
  const ids = `SELECT contacts.id FROM ${found.from} WHERE ${found.where} ${position} ORDER BY ${createdAt} DESC, ${id} DESC LIMIT ? OFFSET ?`
  const values = [...found.values, ...(after === null ? [] : [after.createdAt, after.id]), limit, skip]
  return findAll(on, contacts, `WHERE id IN (${ids}) ORDER BY created_at DESC, id DESC`, ...values)
}

export const contactCount = (on: Prepared, { projectId, filters }: QueryOf<"ContactCount">): number => {
  const { from, where, values } = finding(projectId, filters)
  return on
    .statement(`SELECT count(*) FROM ${from} WHERE ${where}`)
    .pluck()
    .get(...values) as number
}
