/**
 * Projects, their API keys and their sender domains.
 */
export const sql = (schema: string): string => `
CREATE TABLE ${schema}.projects (
  id text COLLATE "C" PRIMARY KEY,
  on_ambiguous text COLLATE "C" NOT NULL CHECK (on_ambiguous IN ('retry', 'fail')),
  list_unsubscribe boolean NOT NULL,
  created_at bigint NOT NULL,
  revision bigint NOT NULL
);

CREATE TABLE ${schema}.api_keys (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  public_id text COLLATE "C" NOT NULL,
  secret_hash text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  permissions json NOT NULL,
  domain_scope json,
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint,
  revision bigint NOT NULL,
  PRIMARY KEY (project_id, id)
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX api_keys_by_public_id ON ${schema}.api_keys (public_id, project_id);
CREATE INDEX api_keys_of_project ON ${schema}.api_keys (project_id, created_at, id);

CREATE TABLE ${schema}.domains (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  domain text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('pending', 'verified', 'failed')),
  manually_verified boolean NOT NULL,
  dkim json,
  records json NOT NULL,
  verification_error text COLLATE "C",
  verification_attempts bigint NOT NULL,
  verification_attempted_at bigint,
  last_verified_at bigint,
  failing_since bigint,
  next_check_at bigint,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (project_id, domain),
  UNIQUE (project_id, id)
);
CREATE INDEX domains_newest ON ${schema}.domains (project_id, created_at, id);
CREATE INDEX domains_due ON ${schema}.domains (next_check_at, id) WHERE next_check_at IS NOT NULL;
`
