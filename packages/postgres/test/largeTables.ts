/**
 * Fills the tables of a store with many records of 21 projects. The first project has half of them.
 */
import type { Client } from "pg"
import { searchKeysOf } from "../src/internal/read/searchKeys.ts"

const project = "CASE WHEN i % 2 = 0 THEN 'prj_0' ELSE 'prj_' || (1 + i % 20) END"
const id = (prefix: string) => `'${prefix}_' || lpad(i::text, 20, '0')`

/** The id of the record with a number. The even numbers belong to `prj_0`. */
export const idOf = (prefix: string, n: number): string => `${prefix}_${String(n).padStart(20, "0")}`

/** Each hundredth delivery is due at instant 1,000 plus its number. Each fiftieth event delivery is pending. */
const mailSql = `INSERT INTO mailkeep.messages (id, project_id, source, "from", domain, subject, "to", cc, headers, attachments, list_unsubscribe, metadata, idempotency_key, created_at)
SELECT ${id("msg")}, ${project}, 'api', 'a@a.example', 'a.example', 'Your order ' || i, '[]', '[]', '{}', '[]', false, '{}', 'k', 1000 + i FROM generate_series(1, $1::integer) AS i;
INSERT INTO mailkeep.deliveries (id, project_id, message_id, kind, recipient, address, contact_id, source, bulk, created_at, status, due_at, fencing_token, attempt_count, deferrals, ambiguous_attempts, worker_deaths, reached_relay, sequence)
SELECT ${id("del")}, ${project}, ${id("msg")}, 'to', 'u' || i % 5000 || '@b.example', 'u' || i % 5000 || '@b.example', ${id("con")}, 'api', false, 1000 + i, CASE WHEN i % 100 < 2 THEN 'queued' ELSE 'delivered' END, CASE WHEN i % 100 < 2 THEN 1000 + i END, 0, 0, 0, 0, 0, false, 0 FROM generate_series(1, $1::integer) AS i;
INSERT INTO mailkeep.attempts (project_id, delivery_id, number, started_at, phase, outcome)
SELECT ${project}, ${id("del")}, 1, 1000 + i, 'ended', 'delivered' FROM generate_series(1, $1::integer) AS i;
INSERT INTO mailkeep.events (id, project_id, occurred_at, kind, data)
SELECT ${id("evt")}, ${project}, 1000 + i, 'email.delivered', json_build_object('deliveryId', ${id("del")}) FROM generate_series(1, $1::integer) AS i;
INSERT INTO mailkeep.event_deliveries (id, project_id, subscriber, event_id, event_kind, created_at, status, due_at, fencing_token, attempt_count, latest_attempts)
SELECT ${id("evd")}, ${project}, 'whk_' || i % 10, ${id("evt")}, 'email.delivered', 1000 + i, CASE WHEN i % 50 < 2 THEN 'pending' ELSE 'delivered' END, CASE WHEN i % 50 < 2 THEN 1000 + i END, 0, 0, '[]' FROM generate_series(1, $1::integer) AS i;
INSERT INTO mailkeep.suppressions SELECT ${project}, ${id("key")}, 'u' || i || '@c.example', '{"manual":5}', 1 FROM generate_series(1, $1::integer) AS i;
INSERT INTO mailkeep.counters SELECT ${project}, 'daily:' || i, 1 FROM generate_series(1, $1::integer) AS i`

const contactRow = (i: number) => {
  const projectId = i % 2 === 0 ? "prj_0" : `prj_${1 + (i % 20)}`
  const email = `user${i}@${["mail", "post", "web"][i % 3]}.example`
  const [firstName, lastName] = [["Ada", "Bob", "Cyd", "Dan"][i % 4]!, `Lovelace${i % 997}`]
  return {
    id: idOf("con", i),
    project_id: projectId,
    email,
    address: email,
    first_name: firstName,
    last_name: lastName,
    email_status: i % 10 === 0 ? "unsubscribed" : "subscribed",
    source: "import",
    properties: {},
    list_ids: i % 5 === 0 ? ["lst_1"] : [],
    created_at: 1000 + i,
    updated_at: 1,
    revision: 1,
    search_email: email,
    search_name: `${firstName} ${lastName}`.toLowerCase(),
    search_keys: searchKeysOf({ projectId, email, firstName, lastName } as Parameters<typeof searchKeysOf>[0])
  }
}

const contactsAtOnce = 5000

/** Writes `rows` records of each kind, and lets the server collect its statistics. */
export const fillTables = async (client: Client, rows: number): Promise<void> => {
  for (const sql of mailSql.split(";\n")) await client.query(sql, [rows])
  for (let from = 0; from < rows; from += contactsAtOnce) {
    const some = Array.from({ length: Math.min(contactsAtOnce, rows - from) }, (_, n) => contactRow(from + n + 1))
    await client.query(
      "INSERT INTO mailkeep.contacts SELECT * FROM json_populate_recordset(NULL::mailkeep.contacts, $1::json)",
      [JSON.stringify(some)]
    )
  }
  await client.query(
    "INSERT INTO mailkeep.contacts_on_lists (project_id, list_id, created_at, contact_id) SELECT project_id, 'lst_1', created_at, id FROM mailkeep.contacts WHERE json_array_length(list_ids) > 0"
  )
  await client.query("VACUUM ANALYZE")
}
