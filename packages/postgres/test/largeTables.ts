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
SELECT ${id("msg")}, ${project}, 'api', 'a@a.example', 'a.example', 'Your order ' || i, '[]', '[]', '{}', '[]', false, '{}', 'k', 1000 + i FROM generate_series($1::integer, $2::integer, 2) AS i;
INSERT INTO mailkeep.deliveries (id, project_id, message_id, kind, recipient, address, contact_id, source, bulk, created_at, status, due_at, fencing_token, attempt_count, deferrals, ambiguous_attempts, worker_deaths, reached_relay, sequence)
SELECT ${id("del")}, ${project}, ${id("msg")}, 'to', 'u' || i % 5000 || '@b.example', 'u' || i % 5000 || '@b.example', ${id("con")}, 'api', false, 1000 + i, CASE WHEN i % 100 < 2 THEN 'queued' ELSE 'delivered' END, CASE WHEN i % 100 < 2 THEN 1000 + i END, 0, 0, 0, 0, 0, false, 0 FROM generate_series($1::integer, $2::integer, 2) AS i;
INSERT INTO mailkeep.attempts (project_id, delivery_id, number, started_at, phase, outcome)
SELECT ${project}, ${id("del")}, 1, 1000 + i, 'ended', 'delivered' FROM generate_series($1::integer, $2::integer, 2) AS i;
INSERT INTO mailkeep.events (id, project_id, occurred_at, kind, data)
SELECT ${id("evt")}, ${project}, 1000 + i, 'email.delivered', json_build_object('deliveryId', ${id("del")}) FROM generate_series($1::integer, $2::integer, 2) AS i;
INSERT INTO mailkeep.event_deliveries (id, project_id, subscriber, event_id, event_kind, created_at, status, due_at, fencing_token, attempt_count, latest_attempts)
SELECT ${id("evd")}, ${project}, 'whk_' || i % 10, ${id("evt")}, 'email.delivered', 1000 + i, CASE WHEN i % 50 < 2 THEN 'pending' ELSE 'delivered' END, CASE WHEN i % 50 < 2 THEN 1000 + i END, 0, 0, '[]' FROM generate_series($1::integer, $2::integer, 2) AS i;
INSERT INTO mailkeep.suppressions SELECT ${project}, ${id("key")}, 'u' || i || '@c.example', '{"manual":5}', 1 FROM generate_series($1::integer, $2::integer, 2) AS i;
INSERT INTO mailkeep.counters SELECT ${project}, 'daily:' || i, 1 FROM generate_series($1::integer, $2::integer, 2) AS i`

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

/** Writes the records of `prj_0` from 2 on, or those of the other projects from 1 on. */
const fillEverySecond = async (client: Client, first: 1 | 2, rows: number): Promise<void> => {
  for (const sql of mailSql.split(";\n")) await client.query(sql, [first, rows])
  for (let from = first; from <= rows; from += 2 * contactsAtOnce) {
    const count = Math.min(contactsAtOnce, Math.floor((rows - from) / 2) + 1)
    const some = Array.from({ length: count }, (_, n) => contactRow(from + 2 * n))
    await client.query(
      "INSERT INTO mailkeep.contacts SELECT * FROM json_populate_recordset(NULL::mailkeep.contacts, $1::json)",
      [JSON.stringify(some)]
    )
  }
  await client.query(
    `INSERT INTO mailkeep.contacts_on_lists (project_id, list_id, created_at, contact_id)
SELECT project_id, 'lst_1', created_at, id FROM mailkeep.contacts
WHERE json_array_length(list_ids) > 0 AND (project_id = 'prj_0') = $1`,
    [first === 2]
  )
}

/** Keeps the server from collecting statistics by itself. */
export const stopStatistics = async (client: Client): Promise<void> => {
  const { rows: tables } = await client.query<{ readonly name: string }>(
    "SELECT relid::regclass::text AS name FROM pg_stat_user_tables"
  )
  for (const { name } of tables) await client.query(`ALTER TABLE ${name} SET (autovacuum_enabled = off)`)
}

/** Writes `rows` records of each kind, half of them of `prj_0`. The server collects no statistics. */
export const fillWithoutStatistics = async (client: Client, rows: number): Promise<void> => {
  await fillEverySecond(client, 1, rows)
  await fillEverySecond(client, 2, rows)
}

/**
 * Writes `rows` records of each kind. The server collects its statistics of all of them, or before `prj_0` has any.
 */
export const fillTables = async (client: Client, rows: number, statistics: "of all" | "of before"): Promise<void> => {
  await stopStatistics(client)
  await fillEverySecond(client, 1, rows)
  await client.query("VACUUM ANALYZE")
  await fillEverySecond(client, 2, rows)
  if (statistics === "of all") await client.query("VACUUM ANALYZE")
  // The index of texts collects new entries in a list of up to 4 MB, and each search reads the whole list.
  else await client.query("SELECT gin_clean_pending_list('mailkeep.contacts_search')")
}
