/**
 * Writes contacts: the row with the texts that a search examines, and the entries that find contacts by list.
 */
import type { ChangeOf } from "@mailkeep/core/adapter"
import { contactRow, storedContacts } from "../tables.ts"
import type { ApplySet } from "./applySet.ts"
import { applyAll, joined, putSet, parameterRows, writtenBy } from "./applySet.ts"

type PutContact = ChangeOf<"PutContact">

/** Adds an entry for each list of the contacts of `stored`. */
const listedSql = (schema: string) => `listed AS (
  INSERT INTO ${schema}.contacts_on_lists (project_id, list_id, created_at, contact_id)
  SELECT stored.project_id, list_id, stored.created_at, stored.id
  FROM stored CROSS JOIN LATERAL json_array_elements_text(stored.list_ids) AS list_id
  ON CONFLICT DO NOTHING
)`

const keysOfStored = writtenBy("SELECT project_id, id FROM stored")

const insertQueries = (schema: string) => `stored AS (
  INSERT INTO ${schema}.contacts (${storedContacts.targets()})
  SELECT ${storedContacts.sources("r")} FROM ${parameterRows(storedContacts.definitions())}
  ON CONFLICT DO NOTHING RETURNING id, project_id, created_at, list_ids
), ${listedSql(schema)}, ${keysOfStored}`

const replaceQueries = (schema: string, where: string) => `stored AS (
  UPDATE ${schema}.contacts AS t
  SET ${storedContacts.assignments("r")}
  FROM ${parameterRows(`${storedContacts.definitions()}, "replaces" bigint`)}
  WHERE (t.project_id, t.id, t.revision) = (r."projectId", r.id, r."replaces") AND ${where}
  RETURNING t.id, t.project_id, t.created_at, t.list_ids
), unlisted AS (
  DELETE FROM ${schema}.contacts_on_lists AS entry USING stored
  WHERE (entry.project_id, entry.contact_id) = (stored.project_id, stored.id)
    AND (entry.created_at <> stored.created_at OR entry.list_id NOT IN (SELECT json_array_elements_text(stored.list_ids)))
), ${listedSql(schema)}, ${keysOfStored}`

const removeQueries = (schema: string) => `written AS (
  DELETE FROM ${schema}.contacts AS t USING ${parameterRows(`"projectId" text, id text, revision bigint`)}
  WHERE (t.project_id, t.id, t.revision) = (r."projectId", r.id, r.revision) RETURNING t.project_id, t.id
), unlisted AS (
  DELETE FROM ${schema}.contacts_on_lists AS entry USING written
  WHERE (entry.project_id, entry.contact_id) = (written.project_id, written.id)
)`

const keyOf = ({ contact }: PutContact) => joined(contact.projectId, contact.id)
const replacingRow = ({ contact, replaces }: PutContact) => ({ ...contactRow(contact), replaces })

/** Replaces contacts, also when their addresses change. */
export const moveContacts = (schema: string): ApplySet<PutContact> =>
  applyAll(replaceQueries(schema, "true"), replacingRow, keyOf)

export const contactSets = (schema: string) => ({
  PutContact: putSet<PutContact>(
    applyAll(insertQueries(schema), ({ contact }) => contactRow(contact), keyOf),
    applyAll(replaceQueries(schema, "t.address = r.address"), replacingRow, keyOf)
  ),
  RemoveContact: applyAll<ChangeOf<"RemoveContact">>(
    removeQueries(schema),
    ({ projectId, id, revision }) => ({ projectId, id, revision }),
    ({ projectId, id }) => joined(projectId, id)
  )
})
