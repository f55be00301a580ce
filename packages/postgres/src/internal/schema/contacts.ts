/**
 * Contacts and their lists; suppressions by the key of their address. The columns `search_email` and `search_name` have the two texts that a
 * search examines, and `search_keys` has the hashes of their sequences of three characters.
 */
export const sql = (schema: string): string => `
CREATE TABLE ${schema}.contacts (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  email text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  user_id text COLLATE "C",
  first_name text COLLATE "C" NOT NULL,
  last_name text COLLATE "C" NOT NULL,
  phone_number text COLLATE "C",
  email_status text COLLATE "C" NOT NULL CHECK (email_status IN ('subscribed', 'unsubscribed')),
  source text COLLATE "C" NOT NULL CHECK (source IN ('manual', 'import')),
  properties json NOT NULL,
  list_ids json NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  revision bigint NOT NULL,
  search_email text COLLATE "C" NOT NULL,
  search_name text COLLATE "C" NOT NULL,
  search_keys integer[] NOT NULL,
  PRIMARY KEY (project_id, id)
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX contacts_by_address ON ${schema}.contacts (project_id, address);
CREATE INDEX contacts_newest ON ${schema}.contacts (project_id, created_at, id);
CREATE INDEX contacts_of_status ON ${schema}.contacts (project_id, email_status, created_at, id);
CREATE INDEX contacts_search ON ${schema}.contacts USING gin (search_keys);

CREATE TABLE ${schema}.contacts_on_lists (
  project_id text COLLATE "C" NOT NULL,
  list_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  contact_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (project_id, list_id, created_at, contact_id)
);
CREATE INDEX contacts_on_lists_of_contact ON ${schema}.contacts_on_lists (project_id, contact_id);

CREATE TABLE ${schema}.suppressions (
  project_id text COLLATE "C" NOT NULL,
  address_key text COLLATE "C" NOT NULL,
  address text COLLATE "C",
  reasons json NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (project_id, address_key)
);
CREATE INDEX suppressions_by_address ON ${schema}.suppressions (project_id, address, address_key) WHERE address IS NOT NULL;
`
