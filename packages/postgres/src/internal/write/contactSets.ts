/**
 * Writes contacts: the row with the texts that a search examines, and the entries that find contacts by list.
 */
import type { ChangeOf } from "@mailkeep/core/adapter"
import { contactRow, storedContacts } from "../tables.ts"
import type { ApplySet } from "./changeSet.ts"
import { applyAll, joined, putSet, rowsOf } from "./changeSet.ts"

type PutContact = ChangeOf<"PutContact">

/** Adds an entry for each list of the contacts of `written`. */
const listedSql = (schema: string) => `listed AS (
  INSERT INTO ${schema}.contacts_on_lists (project_id, list_id, created_at, contact_id)
  SELECT written.project_id, list_id, written.created_at, written.id
  FROM written CROSS JOIN LATERAL json_array_elements_text(written.list_ids) AS list_id
  ON CONFLICT DO NOTHING
)`

const insertSql = (schema: string) => `WITH written AS (
  INSERT INTO ${schema}.contacts (${storedContacts.targets()})
  SELECT ${storedContacts.sources("r")} FROM ${rowsOf(storedContacts.definitions())}
  ORDER BY r."projectId", r.id ON CONFLICT DO NOTHING RETURNING id, project_id, created_at, list_ids
), ${listedSql(schema)} SELECT project_id, id FROM written`

const replaceSql = (schema: string, where: string) => `WITH written AS (
  UPDATE ${schema}.contacts AS t
  SET ${storedContacts.assignments("r")}
  FROM ${rowsOf(`${storedContacts.definitions()}, "replaces" bigint`)}
  WHERE (t.project_id, t.id, t.revision) = (r."projectId", r.id, r."replaces") AND ${where}
  RETURNING t.id, t.project_id, t.created_at, t.list_ids
), unlisted AS (
  DELETE FROM ${schema}.contacts_on_lists AS entry USING written
  WHERE (entry.project_id, entry.contact_id) = (written.project_id, written.id)
    AND (entry.created_at <> written.created_at OR entry.list_id NOT IN (SELECT json_array_elements_text(written.list_ids)))
), ${listedSql(schema)} SELECT project_id, id FROM written`

const removeSql = (schema: string) => `WITH removed AS (
  DELETE FROM ${schema}.contacts AS t USING ${rowsOf(`"projectId" text, id text, revision bigint`)}
  WHERE (t.project_id, t.id, t.revision) = (r."projectId", r.id, r.revision) RETURNING t.project_id, t.id
), unlisted AS (
  DELETE FROM ${schema}.contacts_on_lists AS entry USING removed
  WHERE (entry.project_id, entry.contact_id) = (removed.project_id, removed.id)
) SELECT project_id, id FROM removed`

const keyOf = ({ contact }: PutContact) => joined(contact.projectId, contact.id)
const replacingRow = ({ contact, replaces }: PutContact) => ({ ...contactRow(contact), replaces })

/** Replaces contacts, also when their addresses change. */
export const moveContacts = (schema: string): ApplySet<PutContact> =>
  applyAll(replaceSql(schema, "true"), replacingRow, keyOf)

export const contactSets = (schema: string) => ({
  PutContact: putSet<PutContact>(
    applyAll(insertSql(schema), ({ contact }) => contactRow(contact), keyOf),
    applyAll(replaceSql(schema, "t.address = r.address"), replacingRow, keyOf)
  ),
  RemoveContact: applyAll<ChangeOf<"RemoveContact">>(
    removeSql(schema),
    ({ projectId, id, revision }) => ({ projectId, id, revision }),
    ({ projectId, id }) => joined(projectId, id)
  )
})
