/**
 * Writes contacts: their row, and beside it the indexes that find them by a part of a text and by list.
 */
import type { ConflictReason, Contact } from "@mailkeep/core/domain"
import { revisionConflict, searchedTexts } from "@mailkeep/core/domain"
import type { Prepared } from "./recordTable.ts"
import { findOne } from "./recordTable.ts"
import { contacts } from "./tables.ts"

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
