/**
 * The row versions that mail leaves in PostgreSQL, and the statements of the guide that show them. `MAILKEEP_MAILS` sets the number of mails.
 * Source: decision 0083.
 */
import { hasPostgres, openWatched, startPostgres } from "@mailkeep/test-support/postgres"
import { createGuideRoles, guideRolesOf, guideStatements } from "@mailkeep/test-support/postgresGuide"
import { Client, Pool } from "pg"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { openMail, stub } from "../src/index.ts"
import { migratePostgres, postgres } from "../src/postgres.ts"

const mails = Number(process.env["MAILKEEP_MAILS"] ?? 150)

interface Updates {
  readonly relname: string
  readonly updates: number
  readonly hot: number
}

/** How often each table's rows are updated by all mail, from the request to the handler. */
const expectedUpdates = { deliveries: 3 * mails, event_deliveries: 2 * mails, attempts: 2 * mails }

const updatesSql = `SELECT relname, n_tup_upd::integer AS updates, n_tup_hot_upd::integer AS hot
FROM pg_stat_user_tables WHERE schemaname = 'mailkeep' AND n_tup_upd > 0`

describe.skipIf(!hasPostgres())("mail that was sent and handed over in PostgreSQL", () => {
  const watched = openWatched({ isInMemory: true })
  let url: string
  let client: Client
  let updates: ReadonlyMap<string, Updates>

  /** Sends all mail, and then hands it over: the claims take as many deliveries at once as they can. */
  const sendAll = async (appUrl: string) => {
    const pool = new Pool({ connectionString: appUrl, pipeline: true })
    const mail = await openMail({
      store: postgres({ pool, migrate: false }),
      transport: stub(),
      domains: ["acme.example"],
      from: "shop@acme.example",
      background: false,
      onLog: () => {}
    })
    let events = 0
    await mail.on("crm", ["email.delivered"], () => void events++)
    const message = { subject: "Your order", text: "Thank you." }
    await Promise.all(Array.from({ length: mails }, (_, n) => mail.send({ ...message, to: `user${n}@example.org` })))
    while (events < mails) await mail.tick()
    await mail.close()
    await pool.end()
  }

  beforeAll(async () => {
    const server = await startPostgres(watched, { autovacuum: "off" })
    const database = await server.createDatabase()
    await createGuideRoles({ server, database, migrate: migratePostgres })
    url = server.urlOf(database)
    client = new Client({ connectionString: url })
    await client.connect()
    await sendAll(server.urlOf(database, guideRolesOf(database).app))
    // Each connection reports its own numbers, at the latest some time after the pool has asked it to end.
    updates = await vi.waitFor(
      async () => {
        const { rows } = await client.query<Updates>(updatesSql)
        const read = new Map(rows.map((row) => [row.relname, row]))
        for (const [table, expected] of Object.entries(expectedUpdates))
          expect([table, read.get(table)?.updates]).toEqual([table, expected])
        return read
      },
      { timeout: 60_000 }
    )
  })
  afterAll(async () => {
    await client.end()
    await watched.close()
  })

  const hotShare = (table: string) => updates.get(table)!.hot / updates.get(table)!.updates

  it("changes no index by a claim of a delivery, and by no other update of it", () => {
    expect(hotShare("deliveries") * 3).toBeGreaterThan(0.9)
    expect(hotShare("deliveries") * 3).toBeLessThanOrEqual(1)
  })

  it("changes no index by a claim of an event delivery", () => {
    expect(hotShare("event_deliveries") * 2).toBeGreaterThan(0.9)
  })

  it("changes no index of attempts, leases and counters", () => {
    for (const table of ["attempts", "leases", "counters"])
      expect([table, hotShare(table) > 0.9]).toEqual([table, true])
  })

  it("changes an indexed column only where the decision says so", async () => {
    const { rows } = await client.query<{ readonly name: string }>(
      `SELECT DISTINCT c.relname AS name FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid JOIN pg_attribute AS a ON a.attrelid = i.indrelid
WHERE i.indrelid = 'mailkeep.deliveries'::regclass AND a.attname IN ('status', 'due_at', 'due_set_at', 'worker', 'fencing_token') AND (a.attnum = ANY (i.indkey) OR pg_get_expr(i.indpred, i.indrelid) ~ a.attname::text) ORDER BY 1`
    )
    expect(rows.map(({ name }) => name)).toEqual([
      "deliveries_due",
      "deliveries_due_set",
      "deliveries_lanes",
      "deliveries_of_status"
    ])
  })

  it("runs every statement of the guide that watches the tables, and shows the numbers that the guide names", async () => {
    const [statements] = guideStatements("What to watch")
    const results: Array<ReadonlyArray<Record<string, unknown>>> = []
    for (const statement of statements!) results.push((await client.query<Record<string, unknown>>(statement)).rows)
    expect(statements!.length).toBe(7)
    const hotPercent = new Map(results[1]!.map((row) => [row["relname"], Number(row["hot_percent"])]))
    expect(hotPercent.get("deliveries")).toBeGreaterThan(29)
    expect(hotPercent.get("event_deliveries")).toBeGreaterThan(44)
    expect(results.at(-1)).toEqual([{ version: 2, compatible_from: 1 }])
  })

  it("counts waiting and late mail by the statement of the guide", async () => {
    const [[waiting]] = guideStatements("What to watch") as [[string]]
    expect((await client.query(waiting)).rows).toEqual([])
    await client.query(
      "UPDATE mailkeep.deliveries SET status = 'queued', due_at = 1000 WHERE id = (SELECT min(id) FROM mailkeep.deliveries)"
    )
    expect((await client.query(waiting)).rows).toEqual([{ status: "queued", count: "1", late: "1" }])
  })

  it("shows an idle transaction that keeps dead rows, and a statement that waits for its lock", async () => {
    const [statements] = guideStatements("What to watch")
    const [keepsRows, waits] = [statements![2]!, statements![4]!]
    const [idle, waiting] = [new Client({ connectionString: url }), new Client({ connectionString: url })]
    try {
      for (const other of [idle, waiting]) await other.connect()
      await idle.query("BEGIN; SELECT FROM mailkeep.settings FOR UPDATE")
      const waited = waiting.query("SELECT FROM mailkeep.settings FOR UPDATE")
      const rowsOf = async (statement: string) => (await client.query<Record<string, unknown>>(statement)).rows
      const [idlePid, waitingPid] = [idle, waiting].map((other) => (other as { readonly processID?: number }).processID)
      expect(await rowsOf(keepsRows)).toContainEqual(expect.objectContaining({ pid: idlePid }))
      await expect
        .poll(() => rowsOf(waits))
        .toEqual([expect.objectContaining({ pid: waitingPid, blocked_by: [idlePid] })])
      await idle.query("ROLLBACK")
      await waited
    } finally {
      for (const other of [idle, waiting]) await other.end()
    }
  })

  it("takes the settings of the guide for a faster vacuum, and removes the dead rows", async () => {
    const [statements] = guideStatements("Vacuum")
    for (const statement of statements!) await client.query(statement)
    await client.query("VACUUM mailkeep.deliveries")
    const dead = async () =>
      (await client.query("SELECT n_dead_tup AS dead FROM pg_stat_user_tables WHERE relname = 'deliveries'")).rows
    await expect.poll(dead).toEqual([{ dead: "0" }])
    const { rows } = await client.query("SELECT reloptions FROM pg_class WHERE oid = 'mailkeep.deliveries'::regclass")
    expect(rows).toEqual([
      {
        reloptions: [
          "fillfactor=50",
          "autovacuum_vacuum_scale_factor=0.02",
          "autovacuum_analyze_scale_factor=0.02",
          "autovacuum_vacuum_cost_delay=0"
        ]
      }
    ])
  })
})
