/**
 * Invariants of a store file after any crash. Each invariant is an SQL query that must return no row.
 * The `CHECK` constraints of the schema, such as the due time of a waiting delivery, are checked by `integrity_check`.
 */
import Database from "better-sqlite3"

/** The queries, by the invariant that they check. */
export const questions: Readonly<Record<string, string>> = {
  "a delivery has a message":
    "SELECT id FROM mailkeep_deliveries WHERE message_id NOT IN (SELECT id FROM mailkeep_messages)",
  "a message has at least one delivery":
    "SELECT id FROM mailkeep_messages WHERE id NOT IN (SELECT message_id FROM mailkeep_deliveries)",
  "a message that was sent with an idempotency key has its record":
    "SELECT id FROM mailkeep_messages m WHERE m.idempotency_key <> '' AND NOT EXISTS (SELECT 1 FROM mailkeep_idempotency i WHERE i.project_id = m.project_id AND i.key = m.idempotency_key AND i.result ->> 'messageId' = m.id)",
  "an idempotency record lists all deliveries of its message, in order": `SELECT i.key FROM mailkeep_idempotency i WHERE i.result -> 'deliveryIds' IS NOT
     (SELECT json_group_array(id) FROM (SELECT id FROM mailkeep_deliveries WHERE message_id = i.result ->> 'messageId' ORDER BY id))`,
  "an attempt has a delivery":
    "SELECT delivery_id FROM mailkeep_attempts WHERE delivery_id NOT IN (SELECT id FROM mailkeep_deliveries)",
  "a delivery has as many attempts as it counts":
    "SELECT id FROM mailkeep_deliveries d WHERE attempt_count <> (SELECT count(*) FROM mailkeep_attempts WHERE delivery_id = d.id) OR attempt_count <> (SELECT coalesce(max(number), 0) FROM mailkeep_attempts WHERE delivery_id = d.id)",
  "only the last attempt of a sending delivery is open":
    "SELECT a.delivery_id FROM mailkeep_attempts a JOIN mailkeep_deliveries d ON d.id = a.delivery_id WHERE a.phase <> 'ended' AND (d.status <> 'sending' OR a.number <> d.attempt_count)",
  "a sending delivery has an open attempt":
    "SELECT id FROM mailkeep_deliveries d WHERE status = 'sending' AND NOT EXISTS (SELECT 1 FROM mailkeep_attempts WHERE delivery_id = d.id AND number = d.attempt_count AND phase <> 'ended')",
  "each transition that emits an event has exactly one event, with its sequence number": `WITH emitted AS MATERIALIZED
     (SELECT data ->> 'deliveryId' AS id, count(*) AS events, max(data ->> 'sequence') AS last FROM mailkeep_events WHERE kind LIKE 'email.%' GROUP BY 1)
     SELECT id FROM mailkeep_deliveries WHERE sequence > 0 AND (id, sequence, sequence) NOT IN (SELECT id, events, last FROM emitted)
     UNION ALL SELECT id FROM emitted WHERE id NOT IN (SELECT id FROM mailkeep_deliveries WHERE sequence > 0)`,
  "a final status has its event": `WITH emitted AS MATERIALIZED (SELECT data ->> 'deliveryId' AS id, kind FROM mailkeep_events WHERE kind LIKE 'email.%')
     SELECT id FROM mailkeep_deliveries WHERE status IN ('delivered', 'bounced', 'failed', 'accepted', 'complained', 'suppressed', 'canceled')
     AND (id, 'email.' || status) NOT IN (SELECT id, kind FROM emitted)`,
  "a delivery that was handed off, or will be, is charged and counted":
    "SELECT id FROM mailkeep_deliveries WHERE status IN ('queued', 'sending', 'accepted', 'delivered', 'bounced') AND (charged_at IS NULL OR counted_day IS NULL)",
  "a scheduled or ended delivery that never reached a relay is not charged":
    "SELECT id FROM mailkeep_deliveries WHERE status IN ('scheduled', 'canceled', 'suppressed', 'failed') AND reached_relay = 0 AND charged_at IS NOT NULL",
  "the counter of scheduled recipients equals the scheduled deliveries": `SELECT project_id FROM (SELECT DISTINCT project_id FROM mailkeep_messages) p WHERE
     (SELECT count(*) FROM mailkeep_deliveries d WHERE d.project_id = p.project_id AND status = 'scheduled')
     <> coalesce((SELECT value FROM mailkeep_counters c WHERE c.project_id = p.project_id AND name = 'scheduledRecipients'), 0)`,
  "the allowance counter equals the charged deliveries": `SELECT project_id FROM (SELECT DISTINCT project_id FROM mailkeep_messages) p WHERE
     (SELECT count(*) FROM mailkeep_deliveries d WHERE d.project_id = p.project_id AND charged_at IS NOT NULL)
     <> coalesce((SELECT value FROM mailkeep_counters c WHERE c.project_id = p.project_id AND name = 'allowance'), 0)`,
  "the counter of each day equals the deliveries counted on that day": `SELECT name FROM mailkeep_counters c WHERE name LIKE 'daily:%' AND value <>
     (SELECT count(*) FROM mailkeep_deliveries d WHERE d.project_id = c.project_id AND 'daily:' || counted_day = c.name)`,
  "a delivery that is counted on a day has the counter of that day":
    "SELECT id FROM mailkeep_deliveries d WHERE counted_day IS NOT NULL AND NOT EXISTS (SELECT 1 FROM mailkeep_counters c WHERE c.project_id = d.project_id AND name = 'daily:' || d.counted_day)",
  "the contact counter equals the number of contacts": `SELECT project_id FROM (SELECT DISTINCT project_id FROM mailkeep_contacts) p WHERE
     (SELECT count(*) FROM mailkeep_contacts c WHERE c.project_id = p.project_id)
     <> coalesce((SELECT value FROM mailkeep_counters c WHERE c.project_id = p.project_id AND name = 'contacts'), 0)`,
  "a contact is unsubscribed if and only if its address is": `SELECT c.id FROM mailkeep_contacts c LEFT JOIN mailkeep_suppressions s ON s.project_id = c.project_id AND s.address = c.address
     WHERE (c.email_status = 'unsubscribed') <> (s.reasons ->> 'unsubscribed' IS NOT NULL)`
}

/** Returns the broken invariants, each with the number of rows that break it and an example. */
export const brokenInvariants = (filename: string): ReadonlyArray<string> => {
  const database = new Database(filename)
  try {
    const integrity = database.pragma("integrity_check", { simple: true })
    if (integrity !== "ok") return [`the file passes integrity_check: ${String(integrity)}`]
    return Object.entries(questions).flatMap(([invariant, sql]) => {
      const found = database.prepare(sql).pluck().all()
      return found.length === 0 ? [] : [`${invariant}: broken by ${found.length} rows, such as ${String(found[0])}`]
    })
  } finally {
    database.close()
  }
}
