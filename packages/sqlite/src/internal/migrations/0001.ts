/**
 * The first schema. Statuses and the like are repeated here on purpose: a migration never changes, and a test compares the
 * lists with the domain's tables.
 */
export const sql = `
CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
  id TEXT PRIMARY KEY,
  on_ambiguous TEXT NOT NULL CHECK (on_ambiguous IN ('retry', 'fail')),
  created_at INTEGER NOT NULL,
  revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE api_keys (
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
CREATE INDEX api_keys_of_project ON api_keys (project_id, created_at, id);

CREATE TABLE domains (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  domain TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'verified', 'failed')),
  last_verified_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  UNIQUE (project_id, domain)
) STRICT;
CREATE INDEX domains_newest ON domains (project_id, created_at, id);

CREATE TABLE contacts (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  email TEXT NOT NULL,
  address TEXT NOT NULL,
  user_id TEXT,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  phone_number TEXT,
  email_status TEXT NOT NULL CHECK (email_status IN ('subscribed', 'unsubscribed')),
  source TEXT NOT NULL CHECK (source IN ('manual', 'import')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  UNIQUE (project_id, address)
) STRICT;
CREATE INDEX contacts_newest ON contacts (project_id, created_at, id);

CREATE TABLE suppressions (
  project_id TEXT NOT NULL,
  address TEXT NOT NULL,
  reasons TEXT NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (project_id, address)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
  project_id TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  result TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_expiry ON idempotency (expires_at);

CREATE TABLE messages (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  key_id TEXT,
  source TEXT NOT NULL CHECK (source IN ('api', 'smtp', 'embedded')),
  "from" TEXT NOT NULL,
  from_name TEXT,
  reply_to TEXT,
  domain TEXT NOT NULL,
  subject TEXT NOT NULL,
  html TEXT,
  text TEXT,
  "to" TEXT NOT NULL,
  cc TEXT NOT NULL,
  metadata TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  on_ambiguous TEXT CHECK (on_ambiguous IN ('retry', 'fail')),
  expires_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE deliveries (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('to', 'cc', 'bcc')),
  recipient TEXT NOT NULL,
  address TEXT NOT NULL,
  contact_id TEXT,
  source TEXT NOT NULL CHECK (source IN ('api', 'smtp', 'embedded')),
  created_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('scheduled', 'canceled', 'queued', 'sending', 'accepted', 'delivered', 'bounced', 'complained', 'failed', 'suppressed')),
  reason TEXT CHECK (reason IN ('unsubscribed', 'complaint', 'hard_bounce', 'invalid', 'manual', 'recipient_blocked', 'temporary_failure', 'delivery_uncertain', 'message_blocked', 'sending_failed', 'quota_exceeded', 'api_key_revoked', 'canceled')),
  status_message TEXT,
  scheduled_at INTEGER,
  due_at INTEGER,
  queued_at INTEGER,
  worker TEXT,
  token INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  deferrals INTEGER NOT NULL,
  ambiguous INTEGER NOT NULL,
  crashes INTEGER NOT NULL,
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
CREATE INDEX deliveries_newest ON deliveries (project_id, created_at, id);
CREATE INDEX deliveries_of_recipient ON deliveries (project_id, address, created_at, id);
CREATE INDEX deliveries_of_contact ON deliveries (project_id, contact_id, created_at, id) WHERE contact_id IS NOT NULL;
CREATE INDEX deliveries_of_message ON deliveries (message_id, id);
CREATE INDEX deliveries_due ON deliveries (status, due_at, id) WHERE due_at IS NOT NULL;

CREATE TABLE attempts (
  delivery_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  phase TEXT NOT NULL CHECK (phase IN ('started', 'dot', 'ended')),
  outcome TEXT CHECK (outcome IN ('accepted', 'delivered', 'deferred', 'rejected', 'suppressed', 'released', 'lost', 'ambiguous')),
  smtp_code INTEGER,
  enhanced_code TEXT,
  message TEXT,
  duration_millis INTEGER,
  PRIMARY KEY (delivery_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE counters (
  project_id TEXT NOT NULL,
  name TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (project_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  occurred_at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  data TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX events_of_project ON events (project_id, id);
CREATE INDEX events_oldest ON events (occurred_at);

CREATE TABLE leases (
  worker TEXT PRIMARY KEY,
  lease_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`
