/**
 * Projects, their API keys and their sender domains.
 */
export const sql = `
CREATE TABLE mailkeep_projects (
  id TEXT PRIMARY KEY,
  on_ambiguous TEXT NOT NULL CHECK (on_ambiguous IN ('retry', 'fail')),
  list_unsubscribe INTEGER NOT NULL CHECK (list_unsubscribe IN (0, 1)),
  created_at INTEGER NOT NULL,
  revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE mailkeep_api_keys (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  public_id TEXT NOT NULL UNIQUE,
  secret_hash TEXT NOT NULL,
  name TEXT NOT NULL,
  permissions TEXT NOT NULL,
  domain_scope TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER,
  revision INTEGER NOT NULL
) STRICT;
CREATE INDEX mailkeep_api_keys_of_project ON mailkeep_api_keys (project_id, created_at, id);

CREATE TABLE mailkeep_domains (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  domain TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'verified', 'failed')),
  manually_verified INTEGER NOT NULL CHECK (manually_verified IN (0, 1)),
  dkim TEXT,
  records TEXT NOT NULL,
  verification_error TEXT,
  verification_attempts INTEGER NOT NULL,
  verification_attempted_at INTEGER,
  last_verified_at INTEGER,
  failing_since INTEGER,
  next_check_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  UNIQUE (project_id, domain)
) STRICT;
CREATE INDEX mailkeep_domains_newest ON mailkeep_domains (project_id, created_at, id);
CREATE INDEX mailkeep_domains_due ON mailkeep_domains (next_check_at, id) WHERE next_check_at IS NOT NULL;
`
