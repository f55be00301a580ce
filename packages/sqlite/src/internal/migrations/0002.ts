/**
 * Definitions; what DNS says of domains; events on their way to consumers; messages made from templates; contacts with properties and lists, found by any three letters; suppressions by the key of their address.
 *
 * `definitions` has row ids: a search by key in a table without them reads the large bodies of templates that it passes.
 * `folded` and `address_key` are functions of the connection, see `functions.ts`.
 */
export const sql = `
CREATE TABLE definitions (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  parent TEXT NOT NULL,
  name TEXT,
  content TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  revision INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX definitions_by_name ON definitions (project_id, kind, parent, name) WHERE name IS NOT NULL;
CREATE INDEX definitions_newest ON definitions (project_id, kind, parent, created_at, id);

ALTER TABLE contacts RENAME TO contacts_0001;
DROP INDEX contacts_newest;
CREATE TABLE contacts (
  place INTEGER PRIMARY KEY,
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
INSERT INTO contacts (id, project_id, email, address, user_id, first_name, last_name, phone_number, email_status, source, properties, list_ids, created_at, updated_at, revision)
SELECT id, project_id, email, address, user_id, first_name, last_name, phone_number, email_status, source, '{}', '[]', created_at, updated_at, revision FROM contacts_0001;
DROP TABLE contacts_0001;
CREATE INDEX contacts_newest ON contacts (project_id, created_at, id);
CREATE INDEX contacts_of_status ON contacts (project_id, email_status, created_at, id);

CREATE VIRTUAL TABLE contact_search USING fts5(email, name, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');
INSERT INTO contact_search (rowid, email, name)
SELECT place, folded(email), folded(first_name || ' ' || last_name) FROM contacts;

CREATE TABLE contacts_on_lists (
  list_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  contact_id TEXT NOT NULL,
  PRIMARY KEY (list_id, created_at, contact_id)
) STRICT, WITHOUT ROWID;

ALTER TABLE domains ADD COLUMN vouched INTEGER NOT NULL DEFAULT 0 CHECK (vouched IN (0, 1));
ALTER TABLE domains ADD COLUMN dkim TEXT;
ALTER TABLE domains ADD COLUMN records TEXT NOT NULL DEFAULT '[]';
ALTER TABLE domains ADD COLUMN verification_error TEXT;
ALTER TABLE domains ADD COLUMN verification_attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE domains ADD COLUMN verification_attempted_at INTEGER;
ALTER TABLE domains ADD COLUMN failing_since INTEGER;
ALTER TABLE domains ADD COLUMN next_check_at INTEGER;
UPDATE domains SET vouched = 1 WHERE status = 'verified';
CREATE INDEX domains_due ON domains (next_check_at, id) WHERE next_check_at IS NOT NULL;

ALTER TABLE events ADD COLUMN distributed INTEGER NOT NULL DEFAULT 0 CHECK (distributed IN (0, 1));
UPDATE events SET distributed = 1;
CREATE INDEX events_undistributed ON events (id) WHERE distributed = 0;

CREATE TABLE pushes (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  consumer TEXT NOT NULL,
  event_id TEXT NOT NULL,
  event_kind TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  due_at INTEGER,
  worker TEXT,
  token INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  tries TEXT NOT NULL,
  settled_at INTEGER,
  CHECK ((due_at IS NOT NULL) = (status = 'pending'))
) STRICT, WITHOUT ROWID;
CREATE INDEX pushes_due ON pushes (consumer, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX pushes_newest ON pushes (consumer, created_at, id);
CREATE INDEX pushes_settled ON pushes (settled_at, id) WHERE settled_at IS NOT NULL;
CREATE INDEX pushes_held ON pushes (worker) WHERE worker IS NOT NULL AND due_at IS NOT NULL;

ALTER TABLE messages ADD COLUMN template_id TEXT;
ALTER TABLE messages ADD COLUMN headers TEXT NOT NULL DEFAULT '{}';

INSERT INTO settings (name, value)
SELECT 'address_secret', lower(hex(randomblob(32))) WHERE EXISTS (SELECT 1 FROM suppressions)
ON CONFLICT DO NOTHING;
ALTER TABLE suppressions RENAME TO suppressions_0001;
CREATE TABLE suppressions (
  project_id TEXT NOT NULL,
  address_key TEXT NOT NULL,
  address TEXT,
  reasons TEXT NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (project_id, address_key)
) STRICT, WITHOUT ROWID;
INSERT INTO suppressions (project_id, address_key, address, reasons, revision)
SELECT project_id, address_key((SELECT value FROM settings WHERE name = 'address_secret'), address), address, reasons, revision FROM suppressions_0001;
DROP TABLE suppressions_0001;
CREATE INDEX suppressions_by_address ON suppressions (project_id, address) WHERE address IS NOT NULL;

INSERT INTO counters (project_id, name, value)
SELECT project_id, 'unsubscribed', count(*) FROM contacts WHERE email_status = 'unsubscribed' GROUP BY project_id;
`
