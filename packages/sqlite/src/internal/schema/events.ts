/**
 * Events, and event deliveries to their subscribers.
 */
export const sql = `
CREATE TABLE mailkeep_events (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  occurred_at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  data TEXT NOT NULL,
  distributed INTEGER NOT NULL DEFAULT 0 CHECK (distributed IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX mailkeep_events_of_project ON mailkeep_events (project_id, id);
CREATE INDEX mailkeep_events_oldest ON mailkeep_events (occurred_at);
CREATE INDEX mailkeep_events_undistributed ON mailkeep_events (id) WHERE distributed = 0;

CREATE TABLE mailkeep_event_deliveries (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  subscriber TEXT NOT NULL,
  event_id TEXT NOT NULL,
  event_kind TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  due_at INTEGER,
  worker TEXT,
  fencing_token INTEGER NOT NULL,
  attempt_count INTEGER NOT NULL,
  latest_attempts TEXT NOT NULL,
  ended_at INTEGER,
  CHECK ((due_at IS NOT NULL) = (status = 'pending'))
) STRICT, WITHOUT ROWID;
CREATE INDEX mailkeep_event_deliveries_due ON mailkeep_event_deliveries (subscriber, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX mailkeep_event_deliveries_newest ON mailkeep_event_deliveries (subscriber, created_at, id);
CREATE INDEX mailkeep_event_deliveries_ended ON mailkeep_event_deliveries (ended_at, id) WHERE ended_at IS NOT NULL;
CREATE INDEX mailkeep_event_deliveries_held ON mailkeep_event_deliveries (worker) WHERE worker IS NOT NULL AND due_at IS NOT NULL;
`
