/**
 * The search index of contacts by project. The row ids of the contacts of one project are in one range of 2^30, so that a search reads only the
 * entries of its project. The column `number` is the number of the range, from 1.
 *
 * The column `created_at_max` is not before the time of any contact of the project with this row id or a smaller one. A search for the newest
 * contacts thus ends early. Source: decision 0066.
 *
 * The SQL function `mailkeep_case_fold` exists only on a connection that migrates.
 */
export const sql = `
CREATE TABLE mailkeep_contact_ranges (
  number INTEGER PRIMARY KEY,
  project_id TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO mailkeep_contact_ranges (project_id) SELECT DISTINCT project_id FROM mailkeep_contacts ORDER BY project_id;

ALTER TABLE mailkeep_contacts ADD COLUMN created_at_max INTEGER NOT NULL DEFAULT 0;
UPDATE mailkeep_contacts SET row_id = numbered.row_id, created_at_max = created_at FROM (
  SELECT id, range.number * 1073741824 + row_number() OVER (PARTITION BY project_id ORDER BY created_at, id) AS row_id
  FROM mailkeep_contacts JOIN mailkeep_contact_ranges AS range USING (project_id)
) AS numbered WHERE mailkeep_contacts.id = numbered.id;

DROP TABLE mailkeep_contact_search;
CREATE VIRTUAL TABLE mailkeep_contact_texts USING fts5(email, name, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');
INSERT INTO mailkeep_contact_texts (rowid, email, name)
SELECT row_id, mailkeep_case_fold(email), mailkeep_case_fold(first_name || ' ' || last_name) FROM mailkeep_contacts ORDER BY row_id;
`
