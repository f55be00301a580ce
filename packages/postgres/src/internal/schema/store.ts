/**
 * Internal records of the store: settings, the schema version, the leases of workers, idempotency records and counters. A program can use the tables
 * if its schema version is at least `compatible_from`.
 * The sequence counts the transactions that write. `recorded_at` is the instant of the change that wrote an idempotency record.
 */
export const sql = (schema: string): string => `
CREATE TABLE ${schema}.schema_version (
  version integer NOT NULL,
  compatible_from integer NOT NULL
);
INSERT INTO ${schema}.schema_version (version, compatible_from) VALUES (0, 0);

CREATE SEQUENCE ${schema}.commits;

CREATE TABLE ${schema}.settings (
  name text COLLATE "C" PRIMARY KEY,
  value text COLLATE "C" NOT NULL
);

CREATE TABLE ${schema}.leases (
  worker text COLLATE "C" PRIMARY KEY,
  renewed_at bigint NOT NULL,
  lease_until bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE ${schema}.idempotency (
  project_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  result json NOT NULL,
  expires_at bigint NOT NULL,
  recorded_at bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (project_id, key)
);
CREATE INDEX idempotency_expiry ON ${schema}.idempotency (expires_at, project_id, key);

CREATE TABLE ${schema}.counters (
  project_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  value bigint NOT NULL,
  PRIMARY KEY (project_id, name)
) WITH (fillfactor = 50);

-- Not logged: after a crash and after a failover, every rate limit begins full.
CREATE UNLOGGED TABLE ${schema}.rate_buckets (
  name text COLLATE "C" PRIMARY KEY,
  capacity double precision NOT NULL,
  window_millis double precision NOT NULL,
  counted_at bigint NOT NULL,
  tokens double precision NOT NULL,
  taken boolean NOT NULL
) WITH (fillfactor = 50);
`
