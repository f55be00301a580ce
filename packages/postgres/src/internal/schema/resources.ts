/**
 * Resources. Large template bodies are stored outside the rows, so a search by key does not read them.
 */
export const sql = (schema: string): string => `
CREATE TABLE ${schema}.resources (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  parent text COLLATE "C" NOT NULL,
  name text COLLATE "C",
  content json NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (project_id, id)
);
CREATE UNIQUE INDEX resources_by_name ON ${schema}.resources (project_id, kind, parent, name) WHERE name IS NOT NULL;
CREATE INDEX resources_newest ON ${schema}.resources (project_id, kind, parent, created_at, id);
`
