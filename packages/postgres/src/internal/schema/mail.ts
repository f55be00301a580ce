/**
 * Messages with the contents of their files, one delivery for each recipient, and the attempts of each delivery. The free space in the pages of
 * deliveries and attempts lets a claim and a transition of an attempt change a row without a change of an index (decision 0083). A folded text is there only where
 * it differs from the lower case of its ASCII letters.
 */
export const sql = (schema: string): string => `
CREATE TABLE ${schema}.messages (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  api_key_id text COLLATE "C",
  source text COLLATE "C" NOT NULL CHECK (source IN ('api', 'smtp', 'embedded')),
  "from" text COLLATE "C" NOT NULL,
  from_name text COLLATE "C",
  reply_to text COLLATE "C",
  domain text COLLATE "C" NOT NULL,
  template_id text COLLATE "C",
  subject text COLLATE "C" NOT NULL,
  subject_folded text COLLATE "C",
  html text COLLATE "C",
  text text COLLATE "C",
  "to" json NOT NULL,
  cc json NOT NULL,
  headers json NOT NULL,
  attachments json NOT NULL,
  list_unsubscribe boolean NOT NULL,
  metadata json NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  on_ambiguous text COLLATE "C" CHECK (on_ambiguous IN ('retry', 'fail')),
  expires_at bigint,
  created_at bigint NOT NULL,
  PRIMARY KEY (project_id, id)
);
CREATE INDEX messages_oldest ON ${schema}.messages (created_at, id);

CREATE TABLE ${schema}.contents (
  project_id text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  chunk integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (project_id, hash, chunk)
);
ALTER TABLE ${schema}.contents ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE ${schema}.message_contents (
  project_id text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (project_id, hash, message_id)
);

CREATE TABLE ${schema}.deliveries (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('to', 'cc', 'bcc')),
  recipient text COLLATE "C" NOT NULL,
  recipient_folded text COLLATE "C",
  address text COLLATE "C" NOT NULL,
  contact_id text COLLATE "C",
  source text COLLATE "C" NOT NULL CHECK (source IN ('api', 'smtp', 'embedded')),
  bulk boolean NOT NULL,
  created_at bigint NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('scheduled', 'canceled', 'queued', 'sending', 'accepted', 'delivered', 'bounced', 'complained', 'failed', 'suppressed')),
  reason text COLLATE "C" CHECK (reason IN ('unsubscribed', 'complaint', 'hard_bounce', 'invalid', 'manual', 'recipient_blocked', 'temporary_failure', 'delivery_uncertain', 'message_blocked', 'sending_failed', 'quota_exceeded', 'api_key_revoked', 'canceled')),
  status_message text COLLATE "C",
  scheduled_at bigint,
  due_at bigint,
  due_set_at bigint,
  queued_at bigint,
  worker text COLLATE "C",
  fencing_token bigint NOT NULL,
  attempt_count bigint NOT NULL,
  deferrals bigint NOT NULL,
  ambiguous_attempts bigint NOT NULL,
  worker_deaths bigint NOT NULL,
  reached_relay boolean NOT NULL,
  counted_day text COLLATE "C",
  charged_at bigint,
  sequence bigint NOT NULL,
  bounce_type text COLLATE "C" CHECK (bounce_type IN ('hard', 'soft')),
  canceled_at bigint,
  accepted_at bigint,
  delivered_at bigint,
  bounced_at bigint,
  complained_at bigint,
  failed_at bigint,
  CHECK ((due_at IS NOT NULL) = (status IN ('scheduled', 'queued', 'sending'))),
  PRIMARY KEY (project_id, id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- A return path and an unsubscribe link name only the delivery.
CREATE INDEX deliveries_by_id ON ${schema}.deliveries (id);
CREATE INDEX deliveries_newest ON ${schema}.deliveries (project_id, created_at, id);
CREATE INDEX deliveries_of_recipient ON ${schema}.deliveries (project_id, address, created_at, id);
CREATE INDEX deliveries_of_contact ON ${schema}.deliveries (project_id, contact_id, created_at, id) WHERE contact_id IS NOT NULL;
CREATE INDEX deliveries_of_message ON ${schema}.deliveries (project_id, message_id, id);
CREATE INDEX deliveries_of_status ON ${schema}.deliveries (project_id, status, created_at, id) WHERE status IN ('scheduled', 'canceled', 'bounced', 'complained', 'failed', 'suppressed');
CREATE INDEX deliveries_due ON ${schema}.deliveries (status, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_lanes ON ${schema}.deliveries (status, project_id, bulk, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_due_set ON ${schema}.deliveries (status, due_set_at) WHERE due_set_at IS NOT NULL;

CREATE TABLE ${schema}.attempts (
  project_id text COLLATE "C" NOT NULL,
  delivery_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  started_at bigint NOT NULL,
  phase text COLLATE "C" NOT NULL CHECK (phase IN ('started', 'finalizing', 'ended')),
  outcome text COLLATE "C" CHECK (outcome IN ('accepted', 'delivered', 'deferred', 'rejected', 'suppressed', 'stopped', 'no_reply', 'ambiguous')),
  smtp_code bigint,
  enhanced_code text COLLATE "C",
  status_message text COLLATE "C",
  duration_millis bigint,
  PRIMARY KEY (project_id, delivery_id, number)
) WITH (fillfactor = 70);
`
