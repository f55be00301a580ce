/**
 * Internal records of the store: settings, the schema version, the leases of workers, idempotency records and counters.
 */
export const sql = `
CREATE TABLE mailkeep_schema (
  version INTEGER NOT NULL
) STRICT;
INSERT INTO mailkeep_schema (version) VALUES (0);

CREATE TABLE mailkeep_settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE mailkeep_leases (
  worker TEXT PRIMARY KEY,
  renewed_at INTEGER NOT NULL,
  lease_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE mailkeep_idempotency (
  project_id TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  result TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX mailkeep_idempotency_expiry ON mailkeep_idempotency (expires_at);

CREATE TABLE mailkeep_counters (
  project_id TEXT NOT NULL,
  name TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (project_id, name)
) STRICT, WITHOUT ROWID;
`
