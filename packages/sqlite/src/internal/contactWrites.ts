/**
 * Writes contacts: the row, and the indexes that find contacts by a part of a text and by list.
 */
import type { ChangeOf, ConflictReason, ContactRecord } from "@mailkeep/core/adapter"
import { revisionConflict, searchedTexts } from "@mailkeep/core/adapter/evaluation"
import type { Prepared } from "./recordTable.ts"
import { findOne } from "./recordTable.ts"
import type { ContactRowColumns } from "./tables.ts"
import { contactRows } from "./tables.ts"

const unindexText = (connection: Prepared, rowId: number): void => {
  connection.statement("DELETE FROM mailkeep_contact_texts WHERE rowid = ?").run(rowId)
}

const indexText = (connection: Prepared, rowId: number, [email, name]: readonly [string, string]): void => {
  connection
    .statement("INSERT INTO mailkeep_contact_texts (rowid, email, name) VALUES (?, ?, ?)")
    .run(rowId, email, name)
}

/** The number of row ids of a project. With 2^53 safe integers, this allows 8 million projects. */
const rangeRows = 2 ** 30

/** The row ids of the contacts of a project, both inclusive. `null` if the project has no contact. */
export const rowRangeOf = (connection: Prepared, projectId: string): readonly [first: number, last: number] | null => {
  const number = connection
    .statement("SELECT number FROM mailkeep_contact_ranges WHERE project_id = ?")
    .pluck()
    .get(projectId) as number | undefined
  return number === undefined ? null : [number * rangeRows + 1, (number + 1) * rangeRows - 1]
}

const newRowRange = (connection: Prepared, projectId: string): readonly [first: number, last: number] => {
  connection.statement("INSERT INTO mailkeep_contact_ranges (project_id) VALUES (?)").run(projectId)
  return rowRangeOf(connection, projectId)!
}

/** The next row id of the project, and the latest creation of a contact up to it. */
const nextRowColumns = (connection: Prepared, { projectId, createdAt }: ContactRecord): ContactRowColumns => {
  const [first, last] = rowRangeOf(connection, projectId) ?? newRowRange(connection, projectId)
  const previous = connection
    .statement(
      "SELECT row_id AS rowId, created_at_max AS createdAtMax FROM mailkeep_contacts WHERE row_id BETWEEN ? AND ? ORDER BY row_id DESC LIMIT 1"
    )
    .get(first, last) as ContactRowColumns | undefined
  return previous === undefined
    ? { rowId: first, createdAtMax: createdAt }
    : { rowId: previous.rowId + 1, createdAtMax: Math.max(previous.createdAtMax, createdAt) }
}

const unindexLists = (connection: Prepared, { id, createdAt, listIds }: ContactRecord): void => {
  for (const listId of listIds)
    connection
      .statement("DELETE FROM mailkeep_contacts_on_lists WHERE list_id = ? AND created_at = ? AND contact_id = ?")
      .run(listId, createdAt, id)
}

const indexLists = (connection: Prepared, { id, createdAt, listIds }: ContactRecord): void => {
  for (const listId of listIds)
    connection
      .statement("INSERT INTO mailkeep_contacts_on_lists (list_id, created_at, contact_id) VALUES (?, ?, ?)")
      .run(listId, createdAt, id)
}

const areEqual = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((one, n) => one === b[n])

const isAddressTaken = (connection: Prepared, { projectId, address, id }: ContactRecord): boolean =>
  connection
    .statement("SELECT 1 FROM mailkeep_contacts WHERE project_id = ? AND address = ? AND id <> ?")
    .get(projectId, address, id) !== undefined

export const putContact = (
  connection: Prepared,
  contact: ContactRecord,
  replaces: number | null
): ConflictReason | undefined => {
  if (replaces === null) {
    const row = { ...contact, ...nextRowColumns(connection, contact) }
    const { changes } = connection
      .statement(contactRows.insertNew)
      .run(...contactRows.valuesOf(row, contactRows.fields))
    if (changes === 0) return "AlreadyExists"
    indexText(connection, row.rowId, searchedTexts(contact))
    indexLists(connection, contact)
    return undefined
  }
  const existing = findOne(connection, contactRows, "WHERE id = ? AND project_id = ?", contact.id, contact.projectId)
  const guard = revisionConflict(existing, replaces)
  if (existing === null || guard !== undefined) return guard
  if (contact.address !== existing.address && isAddressTaken(connection, contact)) return "AlreadyExists"
  const isMoved = contact.createdAt !== existing.createdAt
  const row = { ...existing, ...contact, ...(isMoved ? nextRowColumns(connection, contact) : {}) }
  connection
    .statement(`UPDATE mailkeep_contacts SET ${contactRows.assignments(contactRows.fields)} WHERE id = ?`)
    .run(...contactRows.valuesOf(row, contactRows.fields), contact.id)
  const texts = searchedTexts(contact)
  if (isMoved || !areEqual(searchedTexts(existing), texts)) {
    unindexText(connection, existing.rowId)
    indexText(connection, row.rowId, texts)
  }
  if (isMoved || !areEqual(existing.listIds, contact.listIds)) {
    unindexLists(connection, existing)
    indexLists(connection, contact)
  }
  return undefined
}

/** Without it, the name of a deleted project would stay in the file. */
const deleteUnusedRangeSql = `DELETE FROM mailkeep_contact_ranges WHERE project_id = ?
AND NOT EXISTS (SELECT 1 FROM mailkeep_contacts WHERE project_id = ?)`

export const removeContact = (
  connection: Prepared,
  { projectId, id, revision }: ChangeOf<"RemoveContact">
): ConflictReason | undefined => {
  const existing = findOne(connection, contactRows, "WHERE id = ? AND project_id = ?", id, projectId)
  const guard = revisionConflict(existing, revision)
  if (existing === null || guard !== undefined) return guard ?? "NotFound"
  unindexText(connection, existing.rowId)
  unindexLists(connection, existing)
  connection.statement("DELETE FROM mailkeep_contacts WHERE id = ?").run(id)
  connection.statement(deleteUnusedRangeSql).run(projectId, projectId)
  return undefined
}
