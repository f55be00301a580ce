/**
 * A mail queue that is written by hand with better-sqlite3, as a product might do it. It has its own tables with the same fields and indexes, looks
 * up what a send depends on, and checks the input. It syncs each transaction to the disk.
 */
import Database from "better-sqlite3"

const schema = `
CREATE TABLE domains (name TEXT PRIMARY KEY, verified INTEGER NOT NULL) STRICT;
CREATE TABLE suppressions (address TEXT PRIMARY KEY, reason TEXT NOT NULL) STRICT;
CREATE TABLE contacts (
  id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, first_name TEXT NOT NULL, last_name TEXT NOT NULL, status TEXT NOT NULL,
  properties TEXT NOT NULL, created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX contacts_newest ON contacts (created_at, id);
CREATE INDEX contacts_of_status ON contacts (status, created_at, id);
CREATE TABLE idempotency (key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, result TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT;
CREATE INDEX idempotency_expired ON idempotency (expires_at);
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
CREATE TABLE messages (
  id TEXT PRIMARY KEY, sender TEXT NOT NULL, domain TEXT NOT NULL, subject TEXT NOT NULL, html TEXT, text TEXT,
  headers TEXT NOT NULL, metadata TEXT NOT NULL, idempotency_key TEXT NOT NULL, created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_oldest ON messages (created_at, id);
CREATE TABLE deliveries (
  id TEXT PRIMARY KEY, message_id TEXT NOT NULL, recipient TEXT NOT NULL, address TEXT NOT NULL, contact_id INTEGER,
  status TEXT NOT NULL, due_at INTEGER, worker TEXT, attempts INTEGER NOT NULL, created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_newest ON deliveries (created_at, id);
CREATE INDEX deliveries_of_recipient ON deliveries (address, created_at, id);
CREATE INDEX deliveries_of_message ON deliveries (message_id, id);
CREATE INDEX deliveries_due ON deliveries (status, due_at, id) WHERE due_at IS NOT NULL;
INSERT INTO domains VALUES ('example.com', 1);
`

/** A send, as the peers take it. */
export interface HandSend {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly html: string
}

const addressForm = /^[^\s@]+@([^\s@]+\.[^\s@]+)$/

/** Opens the file with the settings of a durable store. */
export const openByHand = (filename: string) => {
  const database = new Database(filename)
  database.pragma("journal_mode = WAL")
  database.pragma("synchronous = FULL")
  database.pragma("wal_autocheckpoint = 4000")
  database.pragma("cache_size = -16384")
  database.exec(schema)
  const find = {
    domain: database.prepare("SELECT verified FROM domains WHERE name = ?"),
    suppression: database.prepare("SELECT reason FROM suppressions WHERE address = ?"),
    contact: database.prepare("SELECT id FROM contacts WHERE email = ?"),
    earlier: database.prepare("SELECT fingerprint, result FROM idempotency WHERE key = ? AND expires_at > ?"),
    used: database.prepare("SELECT value FROM counters WHERE name = ?")
  }
  const insert = {
    message: database.prepare("INSERT INTO messages VALUES (?, ?, ?, ?, ?, NULL, '{}', '{}', ?, ?)"),
    delivery: database.prepare("INSERT INTO deliveries VALUES (?, ?, ?, ?, ?, 'queued', ?, NULL, 0, ?)"),
    idempotency: database.prepare("INSERT INTO idempotency VALUES (?, ?, ?, ?)"),
    counter: database.prepare("INSERT INTO counters VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1"),
    contact: database.prepare("INSERT INTO contacts VALUES (NULL, ?, ?, ?, 'subscribed', '{}', ?)")
  }
  let made = 0

  /** Looks up, checks and inserts one send within a transaction. */
  const acceptOne = ({ from, to, subject, html }: HandSend, key: string): string => {
    const now = Date.now()
    const earlier = find.earlier.get(key, now) as { readonly result: string } | undefined
    if (earlier !== undefined) return earlier.result
    const domain = addressForm.exec(from)?.[1]
    if (domain === undefined || !addressForm.test(to) || subject.length > 500 || html.length > 2 ** 21)
      throw new TypeError("The message is not valid.")
    if (find.domain.get(domain) === undefined) throw new TypeError("The domain is not verified.")
    const address = to.toLowerCase()
    if (find.suppression.get(address) !== undefined) throw new TypeError("The recipient is suppressed.")
    const contact = find.contact.get(address) as { readonly id: number } | undefined
    if (((find.used.get("day") as { readonly value: number } | undefined)?.value ?? 0) > 1e9)
      throw new TypeError("The limit is reached.")
    const id = String(made++).padStart(26, "0")
    const result = JSON.stringify({ messageId: `msg_${id}`, deliveryIds: [`del_${id}`], totalQueued: 1 })
    insert.idempotency.run(key, "0".repeat(64), result, now + 30 * 86_400_000)
    insert.message.run(`msg_${id}`, from, domain, subject, html, key, now)
    insert.delivery.run(`del_${id}`, `msg_${id}`, to, address, contact?.id ?? null, now, now)
    insert.counter.run("all")
    insert.counter.run("day")
    return result
  }

  return {
    /** One transaction for one send, with one disk sync. */
    accept: database.transaction(acceptOne),
    /** One transaction for many sends, with one disk sync. */
    acceptGroup: database.transaction((sends: ReadonlyArray<readonly [HandSend, key: string]>) => {
      for (const [send, key] of sends) acceptOne(send, key)
    }),
    /** One transaction for many contacts. A contact whose address exists is refused. */
    importGroup: database.transaction(
      (rows: ReadonlyArray<readonly [email: string, firstName: string, lastName: string]>) => {
        for (const [email, firstName, lastName] of rows) {
          if (!addressForm.test(email) || find.contact.get(email.toLowerCase()) !== undefined) continue
          insert.contact.run(email.toLowerCase(), firstName, lastName, Date.now())
          insert.counter.run("contacts")
        }
      }
    ),
    close: () => database.close()
  }
}
