/**
 * Messages with the contents of their files, one delivery for each recipient, and the attempts of each delivery. The contents have row ids:
 * without them, a search by key would read the bytes of the rows that it compares.
 */
export const sql = `
CREATE TABLE mailkeep_messages (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  api_key_id TEXT,
  source TEXT NOT NULL CHECK (source IN ('api', 'smtp', 'embedded')),
  "from" TEXT NOT NULL,
  from_name TEXT,
  reply_to TEXT,
  domain TEXT NOT NULL,
  template_id TEXT,
  subject TEXT NOT NULL,
  html TEXT,
  text TEXT,
  "to" TEXT NOT NULL,
  cc TEXT NOT NULL,
  headers TEXT NOT NULL,
  attachments TEXT NOT NULL,
  list_unsubscribe INTEGER NOT NULL CHECK (list_unsubscribe IN (0, 1)),
  metadata TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  on_ambiguous TEXT CHECK (on_ambiguous IN ('retry', 'fail')),
  expires_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX mailkeep_messages_oldest ON mailkeep_messages (created_at, id);

CREATE TABLE mailkeep_contents (
  project_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  chunk INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX mailkeep_contents_by_chunk ON mailkeep_contents (project_id, hash, chunk);

CREATE TABLE mailkeep_message_contents (
  project_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  message_id TEXT NOT NULL,
  PRIMARY KEY (project_id, hash, message_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE mailkeep_deliveries (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('to', 'cc', 'bcc')),
  recipient TEXT NOT NULL,
  address TEXT NOT NULL,
  contact_id TEXT,
  source TEXT NOT NULL CHECK (source IN ('api', 'smtp', 'embedded')),
  bulk INTEGER NOT NULL CHECK (bulk IN (0, 1)),
  created_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('scheduled', 'canceled', 'queued', 'sending', 'accepted', 'delivered', 'bounced', 'complained', 'failed', 'suppressed')),
  reason TEXT CHECK (reason IN ('unsubscribed', 'complaint', 'hard_bounce', 'invalid', 'manual', 'recipient_blocked', 'temporary_failure', 'delivery_uncertain', 'message_blocked', 'sending_failed', 'quota_exceeded', 'api_key_revoked', 'canceled')),
  status_message TEXT,
  scheduled_at INTEGER,
  due_at INTEGER,
  due_set_at INTEGER,
  queued_at INTEGER,
  worker TEXT,
  fencing_token INTEGER NOT NULL,
  attempt_count INTEGER NOT NULL,
  deferrals INTEGER NOT NULL,
  ambiguous_attempts INTEGER NOT NULL,
  worker_deaths INTEGER NOT NULL,
  reached_relay INTEGER NOT NULL CHECK (reached_relay IN (0, 1)),
  counted_day TEXT,
  charged_at INTEGER,
  sequence INTEGER NOT NULL,
  bounce_type TEXT CHECK (bounce_type IN ('hard', 'soft')),
  canceled_at INTEGER,
  accepted_at INTEGER,
  delivered_at INTEGER,
  bounced_at INTEGER,
  complained_at INTEGER,
  failed_at INTEGER,
  CHECK ((due_at IS NOT NULL) = (status IN ('scheduled', 'queued', 'sending')))
) STRICT, WITHOUT ROWID;
CREATE INDEX mailkeep_deliveries_newest ON mailkeep_deliveries (project_id, created_at, id);
CREATE INDEX mailkeep_deliveries_of_recipient ON mailkeep_deliveries (project_id, address, created_at, id);
CREATE INDEX mailkeep_deliveries_of_contact ON mailkeep_deliveries (project_id, contact_id, created_at, id) WHERE contact_id IS NOT NULL;
CREATE INDEX mailkeep_deliveries_of_message ON mailkeep_deliveries (message_id, id);
CREATE INDEX mailkeep_deliveries_due ON mailkeep_deliveries (status, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX mailkeep_deliveries_lanes ON mailkeep_deliveries (status, project_id, bulk, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX mailkeep_deliveries_due_set ON mailkeep_deliveries (status, due_set_at) WHERE due_set_at IS NOT NULL;

CREATE TABLE mailkeep_attempts (
  delivery_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  phase TEXT NOT NULL CHECK (phase IN ('started', 'finalizing', 'ended')),
  outcome TEXT CHECK (outcome IN ('accepted', 'delivered', 'deferred', 'rejected', 'suppressed', 'stopped', 'no_reply', 'ambiguous')),
  smtp_code INTEGER,
  enhanced_code TEXT,
  status_message TEXT,
  duration_millis INTEGER,
  PRIMARY KEY (delivery_id, number)
) STRICT, WITHOUT ROWID;
`
