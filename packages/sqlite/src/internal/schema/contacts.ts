/**
 * Contacts and their lists, with an index of three-letter sequences; suppressions by the key of their address.
 * `row_id` identifies the row of a contact in the search index.
 */
export const sql = `
CREATE TABLE mailkeep_contacts (
  row_id INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  project_id TEXT NOT NULL,
  email TEXT NOT NULL,
  address TEXT NOT NULL,
  user_id TEXT,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  phone_number TEXT,
  email_status TEXT NOT NULL CHECK (email_status IN ('subscribed', 'unsubscribed')),
  source TEXT NOT NULL CHECK (source IN ('manual', 'import')),
  properties TEXT NOT NULL,
  list_ids TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  UNIQUE (project_id, address)
) STRICT;
CREATE INDEX mailkeep_contacts_newest ON mailkeep_contacts (project_id, created_at, id);
CREATE INDEX mailkeep_contacts_of_status ON mailkeep_contacts (project_id, email_status, created_at, id);

CREATE TABLE mailkeep_contacts_on_lists (
  list_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  contact_id TEXT NOT NULL,
  PRIMARY KEY (list_id, created_at, contact_id)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE mailkeep_contact_search USING fts5(email, name, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');

CREATE TABLE mailkeep_suppressions (
  project_id TEXT NOT NULL,
  address_key TEXT NOT NULL,
  address TEXT,
  reasons TEXT NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (project_id, address_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX mailkeep_suppressions_by_address ON mailkeep_suppressions (project_id, address) WHERE address IS NOT NULL;
`
