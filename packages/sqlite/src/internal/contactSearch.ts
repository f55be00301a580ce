/**
 * Writes contacts: the row, and the indexes that find contacts by a part of a text and by list.
 */
import type { ConflictReason, ContactRecord } from "@mailkeep/core/adapter"
import { revisionConflict, searchedTexts } from "@mailkeep/core/adapter/evaluation"
import type { Prepared } from "./recordTable.ts"
import { findOne } from "./recordTable.ts"
import { contacts } from "./tables.ts"

const unindexText = (connection: Prepared, rowId: number): void => {
  connection.statement("DELETE FROM mailkeep_contact_search WHERE rowid = ?").run(rowId)
}

const indexText = (connection: Prepared, rowId: number, [email, name]: readonly [string, string]): void => {
  connection
    .statement("INSERT INTO mailkeep_contact_search (rowid, email, name) VALUES (?, ?, ?)")
    .run(rowId, email, name)
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

const rowIdOf = (connection: Prepared, id: string): number =>
  connection.statement("SELECT row_id FROM mailkeep_contacts WHERE id = ?").pluck().get(id) as number

const same = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((one, n) => one === b[n])

const addressHeld = ({ projectId, address, id }: ContactRecord, connection: Prepared): boolean =>
  connection
    .statement("SELECT 1 FROM mailkeep_contacts WHERE project_id = ? AND address = ? AND id <> ?")
    .get(projectId, address, id) !== undefined

export const putContact = (
  connection: Prepared,
  contact: ContactRecord,
  replaces: number | null
): ConflictReason | undefined => {
  if (replaces === null) {
    const { changes, lastInsertRowid } = connection
      .statement(contacts.insertNew)
      .run(...contacts.valuesOf(contact, contacts.fields))
    if (changes === 0) return "AlreadyExists"
    indexText(connection, Number(lastInsertRowid), searchedTexts(contact))
    indexLists(connection, contact)
    return undefined
  }
  const existing = findOne(connection, contacts, "WHERE id = ?", contact.id)
  const guard = revisionConflict(existing, replaces)
  if (existing === null || guard !== undefined) return guard
  const isMoved = contact.address !== existing.address || contact.projectId !== existing.projectId
  if (isMoved && addressHeld(contact, connection)) return "AlreadyExists"
  connection
    .statement(`UPDATE mailkeep_contacts SET ${contacts.assignments(contacts.fields)} WHERE id = ?`)
    .run(...contacts.valuesOf(contact, contacts.fields), contact.id)
  const [before, after] = [searchedTexts(existing), searchedTexts(contact)]
  if (!same(before, after)) {
    const rowId = rowIdOf(connection, contact.id)
    unindexText(connection, rowId)
    indexText(connection, rowId, after)
  }
  if (!same(existing.listIds, contact.listIds) || existing.createdAt !== contact.createdAt) {
    unindexLists(connection, existing)
    indexLists(connection, contact)
  }
  return undefined
}

export const removeContact = (connection: Prepared, id: string, revision: number): ConflictReason | undefined => {
  const existing = findOne(connection, contacts, "WHERE id = ?", id)
  const guard = revisionConflict(existing, revision)
  if (existing === null || guard !== undefined) return guard ?? "NotFound"
  unindexText(connection, rowIdOf(connection, id))
  unindexLists(connection, existing)
  connection.statement("DELETE FROM mailkeep_contacts WHERE id = ?").run(id)
  return undefined
}
