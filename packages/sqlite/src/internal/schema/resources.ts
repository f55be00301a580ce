/**
 * Resources. The table has row ids: without them, a search by key would read the large template bodies of the rows that
 * it compares.
 */
export const sql = `
CREATE TABLE mailkeep_resources (
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
CREATE UNIQUE INDEX mailkeep_resources_by_name ON mailkeep_resources (project_id, kind, parent, name) WHERE name IS NOT NULL;
CREATE INDEX mailkeep_resources_newest ON mailkeep_resources (project_id, kind, parent, created_at, id);
`
