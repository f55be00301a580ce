/**
 * What must be true of a store's file after any crash: each invariant is a question to SQLite that must find nothing. What a `CHECK` of
 * the schema says, such as that whatever waits has a due time, `integrity_check` asks.
 */
import Database from "better-sqlite3"

export const questions: Readonly<Record<string, string>> = {
  "a delivery has its message": "SELECT id FROM deliveries WHERE message_id NOT IN (SELECT id FROM messages)",
  "a message has its deliveries": "SELECT id FROM messages WHERE id NOT IN (SELECT message_id FROM deliveries)",
  "a message has its idempotency record":
    "SELECT id FROM messages m WHERE NOT EXISTS (SELECT 1 FROM idempotency i WHERE i.project_id = m.project_id AND i.key = m.idempotency_key AND i.result ->> 'messageId' = m.id)",
  "an idempotency record tells all deliveries, in order": `SELECT i.key FROM idempotency i WHERE i.result -> 'deliveryIds' IS NOT
     (SELECT json_group_array(id) FROM (SELECT id FROM deliveries WHERE message_id = i.result ->> 'messageId' ORDER BY id))`,
  "an attempt has its delivery":
    "SELECT delivery_id FROM attempts WHERE delivery_id NOT IN (SELECT id FROM deliveries)",
  "a delivery counts its attempts":
    "SELECT id FROM deliveries d WHERE attempts <> (SELECT count(*) FROM attempts WHERE delivery_id = d.id) OR attempts <> (SELECT coalesce(max(number), 0) FROM attempts WHERE delivery_id = d.id)",
  "an attempt is open only while its delivery is sending, and only the last":
    "SELECT a.delivery_id FROM attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE a.phase <> 'ended' AND (d.status <> 'sending' OR a.number <> d.attempts)",
  "a delivery that is sending has an open attempt":
    "SELECT id FROM deliveries d WHERE status = 'sending' AND NOT EXISTS (SELECT 1 FROM attempts WHERE delivery_id = d.id AND number = d.attempts AND phase <> 'ended')",
  "each move that emits has its one event, numbered": `WITH told AS MATERIALIZED
     (SELECT data ->> 'deliveryId' AS id, count(*) AS events, max(data ->> 'sequence') AS last FROM events WHERE kind LIKE 'email.%' GROUP BY 1)
     SELECT id FROM deliveries WHERE sequence > 0 AND (id, sequence, sequence) NOT IN (SELECT id, events, last FROM told)
     UNION ALL SELECT id FROM told WHERE id NOT IN (SELECT id FROM deliveries WHERE sequence > 0)`,
  "a final status that emits has its event": `WITH told AS MATERIALIZED (SELECT data ->> 'deliveryId' AS id, kind FROM events WHERE kind LIKE 'email.%')
     SELECT id FROM deliveries WHERE status IN ('delivered', 'bounced', 'failed', 'accepted', 'complained', 'suppressed', 'canceled')
     AND (id, 'email.' || status) NOT IN (SELECT id, kind FROM told)`,
  "what was handed over, or will be, is charged and counted":
    "SELECT id FROM deliveries WHERE status IN ('queued', 'sending', 'accepted', 'delivered', 'bounced') AND (charged_at IS NULL OR counted_day IS NULL)",
  "what never reached a relay, and has ended or waits for its time, is not charged":
    "SELECT id FROM deliveries WHERE status IN ('scheduled', 'canceled', 'suppressed', 'failed') AND reached_relay = 0 AND charged_at IS NOT NULL",
  "the waiting counter is what waits": `SELECT project_id FROM (SELECT DISTINCT project_id FROM messages) p WHERE
     (SELECT count(*) FROM deliveries d WHERE d.project_id = p.project_id AND status = 'scheduled')
     <> coalesce((SELECT value FROM counters c WHERE c.project_id = p.project_id AND name = 'waiting'), 0)`,
  "the allowance counter is what is charged": `SELECT project_id FROM (SELECT DISTINCT project_id FROM messages) p WHERE
     (SELECT count(*) FROM deliveries d WHERE d.project_id = p.project_id AND charged_at IS NOT NULL)
     <> coalesce((SELECT value FROM counters c WHERE c.project_id = p.project_id AND name = 'allowance'), 0)`,
  "each day's counter is what counts on it": `SELECT name FROM counters c WHERE name LIKE 'daily:%' AND value <>
     (SELECT count(*) FROM deliveries d WHERE d.project_id = c.project_id AND 'daily:' || counted_day = c.name)`,
  "what counts on a day has its counter":
    "SELECT id FROM deliveries d WHERE counted_day IS NOT NULL AND NOT EXISTS (SELECT 1 FROM counters c WHERE c.project_id = d.project_id AND name = 'daily:' || d.counted_day)",
  "the contact counter is the contacts": `SELECT project_id FROM (SELECT DISTINCT project_id FROM contacts) p WHERE
     (SELECT count(*) FROM contacts c WHERE c.project_id = p.project_id)
     <> coalesce((SELECT value FROM counters c WHERE c.project_id = p.project_id AND name = 'contacts'), 0)`,
  "a contact is unsubscribed exactly while its address is": `SELECT c.id FROM contacts c LEFT JOIN suppressions s ON s.project_id = c.project_id AND s.address = c.address
     WHERE (c.email_status = 'unsubscribed') <> (s.reasons ->> 'unsubscribed' IS NOT NULL)`
}

/** The invariants that are broken, each with what breaks it. */
export const brokenInvariants = (filename: string): ReadonlyArray<string> => {
  const database = new Database(filename)
  try {
    const integrity = database.pragma("integrity_check", { simple: true })
    if (integrity !== "ok") return [`the file is whole: ${String(integrity)}`]
    return Object.entries(questions).flatMap(([says, sql]) => {
      const found = database.prepare(sql).pluck().all()
      return found.length === 0 ? [] : [`${says}: ${found.length} times, such as ${String(found[0])}`]
    })
  } finally {
    database.close()
  }
}
