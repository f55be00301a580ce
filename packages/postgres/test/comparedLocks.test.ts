/**
 * A change that compares a record with the one that was read locks it, so that it sees what another transaction is changing.
 */
import type { Change, StoredRecordOf } from "@mailkeep/core/adapter"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { connectedClient, testServer } from "./testServer.ts"

const rowsSql = [
  `INSERT INTO mailkeep.deliveries (project_id, id, message_id, kind, recipient, address, source, bulk, created_at, status,
  fencing_token, attempt_count, deferrals, ambiguous_attempts, worker_deaths, reached_relay, sequence)
VALUES ('prj_1', 'rec_1', 'msg_1', 'to', 'a@b.example', 'a@b.example', 'api', false, 1, 'delivered', 7, 1, 0, 0, 0, false, 0)`,
  `INSERT INTO mailkeep.events (project_id, id, occurred_at, kind, data) VALUES ('prj_1', 'rec_1', 1, 'email.delivered', '{}')`,
  `INSERT INTO mailkeep.undistributed_events (project_id, event_id) VALUES ('prj_1', 'rec_1')`
]

const waitingSql = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"

type Rewritten = StoredRecordOf<"Delivery" | "Event">

const redacted = (one: Rewritten): Rewritten =>
  one.kind === "Delivery"
    ? { ...one, record: { ...one.record, recipient: "x" } }
    : { ...one, record: { ...one.record, event: { ...one.record.event, occurredAt: 2 } } }

/** Commits a rewrite while another transaction has changed the record. Returns the result of the rewrite when the transaction has ended. */
const rewriteDuring = async (kind: Rewritten["kind"], changeSql: string) => {
  const server = await testServer()
  const database = await server.createDatabase()
  const connectionString = server.urlOf(database)
  const other = await connectedClient(connectionString)
  const query = (sql: string) => Effect.promise(() => other.query(sql))
  const exit = await Effect.gen(function* () {
    const store = yield* PostgresMailStore.make({ connectionString })
    yield* Effect.promise(() => server.run(database, ...rowsSql))
    const [records] = yield* store.read([{ _tag: "Records", kind, projectId: "prj_1", after: null, limit: 1 }])
    const before = records[0] as Rewritten
    const rewrite: Change = { _tag: "RewriteRecord", before, after: redacted(before) }
    yield* query("BEGIN")
    yield* query(changeSql)
    const fiber = yield* Effect.forkChild(Effect.exit(store.commit([rewrite])))
    yield* Effect.promise(() =>
      expect.poll(async () => (await other.query(waitingSql)).rowCount, { interval: 20 }).toBe(1)
    )
    yield* query("COMMIT")
    return yield* Fiber.join(fiber)
  }).pipe(Effect.scoped, Effect.runPromise)
  const { rows } = await other.query("SELECT event_id FROM mailkeep.undistributed_events")
  return { exit, waiting: rows }
}

const stale = { _tag: "Failure", cause: { reasons: [{ error: { _tag: "Conflict", reason: "Stale" } }] } }

describe.skipIf(!hasPostgres())("a rewrite during another transaction", () => {
  it("is stale when the other transaction changes the delivery", async () => {
    const { exit } = await rewriteDuring("Delivery", "UPDATE mailkeep.deliveries SET status = 'bounced'")
    expect(exit).toMatchObject(stale)
  })

  it("is stale when the other transaction distributes the event, and does not let it be distributed again", async () => {
    const { exit, waiting } = await rewriteDuring("Event", "DELETE FROM mailkeep.undistributed_events")
    expect(exit).toMatchObject(stale)
    expect(waiting).toEqual([])
  })
})
