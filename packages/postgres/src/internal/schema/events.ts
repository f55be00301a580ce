/**
 * Events, and event deliveries to their subscribers. The rows of `events` never change: the ids of the events that are not distributed yet are in
 * a table of their own.
 */
export const sql = (schema: string): string => `
CREATE TABLE ${schema}.events (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  occurred_at bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  data json NOT NULL,
  delivery_id text COLLATE "C" GENERATED ALWAYS AS (data ->> 'deliveryId') STORED,
  PRIMARY KEY (project_id, id)
);
CREATE INDEX events_oldest ON ${schema}.events (occurred_at, id);
CREATE INDEX events_of_delivery ON ${schema}.events (project_id, delivery_id, id) WHERE delivery_id IS NOT NULL;

CREATE TABLE ${schema}.undistributed_events (
  project_id text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (project_id, event_id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX undistributed_events_oldest ON ${schema}.undistributed_events (event_id);

CREATE TABLE ${schema}.event_deliveries (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  subscriber text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  event_kind text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  due_at bigint,
  worker text COLLATE "C",
  fencing_token bigint NOT NULL,
  attempt_count bigint NOT NULL,
  latest_attempts json NOT NULL,
  ended_at bigint,
  CHECK ((due_at IS NOT NULL) = (status = 'pending')),
  PRIMARY KEY (project_id, id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
CREATE INDEX event_deliveries_due ON ${schema}.event_deliveries (subscriber, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX event_deliveries_newest ON ${schema}.event_deliveries (project_id, subscriber, created_at, id);
CREATE INDEX event_deliveries_of_event ON ${schema}.event_deliveries (project_id, event_id, id);
CREATE INDEX event_deliveries_ended ON ${schema}.event_deliveries (ended_at, id) WHERE ended_at IS NOT NULL;
`
