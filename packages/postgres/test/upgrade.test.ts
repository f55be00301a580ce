/**
 * Two versions of the program on one schema. The older program is this one. The newer program has more steps, which this test makes up.
 */
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { wholeRotation } from "@mailkeep/core/adapter"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { createGuideRoles, guideRolesOf } from "@mailkeep/test-support/postgresGuide"
import type { Scope } from "effect"
import { Effect, Fiber } from "effect"
import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import { makeDatabase } from "../src/internal/database.ts"
import { openTables } from "../src/internal/openTables.ts"
import type { Migration } from "../src/internal/migrations.ts"
import { migrateSchema, migrations, schemaVersion } from "../src/internal/migrations.ts"
import { PostgresMailStore } from "../src/index.ts"
import { testServer } from "./testServer.ts"

/** As a real step would be: a table, a column with a default, and an index. */
const additive: Migration = {
  sql: (schema) => `CREATE TABLE ${schema}.notes (id text PRIMARY KEY);
ALTER TABLE ${schema}.settings ADD COLUMN note text NOT NULL DEFAULT '';
ALTER TABLE ${schema}.deliveries ADD COLUMN noted_at bigint;
CREATE INDEX settings_note ON ${schema}.settings (note)`,
  isBreaking: false
}

/** Programs before this step name a column that is gone. */
const breaking: Migration = {
  sql: (schema) => `ALTER TABLE ${schema}.settings RENAME COLUMN value TO content;
ALTER TABLE ${schema}.deliveries RENAME COLUMN recipient TO mailbox`,
  isBreaking: true
}

/** A database with the roles of the guide, opened by the older program, which may only read and write. */
const openOlder = async () => {
  const server = await testServer()
  const database = await server.createDatabase()
  const { owner, app } = guideRolesOf(database)
  const migrate = (connectionString: string) => Effect.runPromise(PostgresMailStore.migrate({ connectionString }))
  await createGuideRoles({ server, database, migrate })
  const poolFor = (role: string) => {
    const pool = new pg.Pool({ connectionString: server.urlOf(database, role), max: 5, pipeline: true })
    onTestFinished(() => pool.end())
    return pool
  }
  const [ownerPool, pool] = [poolFor(owner), poolFor(app)]
  return {
    pool,
    ownerPool,
    /** Migrates as the newer program does. */
    migrateTo: (...steps: ReadonlyArray<Migration>) =>
      migrateSchema(makeDatabase(ownerPool), '"mailkeep"', { steps: [...migrations, ...steps] }),
    /** Opens the tables as the newer program does, for the role that may only read and write. */
    openNewer: (migrateWhenBehind: boolean, ...steps: ReadonlyArray<Migration>) =>
      openTables(migrateWhenBehind ? ownerPool : pool, {
        schema: '"mailkeep"',
        migrate: migrateWhenBehind,
        allowAsynchronousCommit: false,
        storageKeepsCommits: false,
        steps: [...migrations, ...steps]
      })
  }
}

type Older = Awaited<ReturnType<typeof openOlder>>

const withOlder = async <A, E>(
  use: (store: MailStoreShape, older: Older) => Effect.Effect<A, E, Scope.Scope>
): Promise<A> => {
  const older = await openOlder()
  return Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(PostgresMailStore.make({ pool: older.pool, migrate: false }), (store) => use(store, older))
    )
  )
}

const put = (name: string) => ({ _tag: "PutSetting", name, value: "x" }) as const
const readDelivery = { _tag: "Delivery", projectId: "prj_1", id: "del_1" } as never
const readSetting = (name: string) => ({ _tag: "Setting", name }) as const
const claim = {
  kind: "dueQueued",
  worker: "older",
  now: 2000,
  leaseUntil: 3000,
  limit: 10,
  rotation: wholeRotation
} as never

/** A delivery that is due at instant 1000. */
const dueDeliverySql = `INSERT INTO mailkeep.deliveries (id, project_id, message_id, kind, recipient, address, source, bulk, created_at, status, due_at, fencing_token, attempt_count, deferrals, ambiguous_attempts, worker_deaths, reached_relay, sequence)
SELECT 'del_' || i, 'prj_1', 'msg_1', 'to', 'a@b.example', 'a@b.example', 'api', false, 1, 'queued', 1000, 0, 0, 0, 0, 0, false, 0 FROM generate_series(1, 2) AS i`

/** Begins a transaction of the product, and joins it. */
const joining = (store: MailStoreShape, { pool }: Older) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = await pool.connect()
      await client.query("BEGIN")
      return client
    }),
    (client) =>
      Effect.promise(async () => {
        await client.query("ROLLBACK")
        client.release()
      })
  ).pipe(Effect.flatMap((client) => store.joinTransaction!(client)))

describe.skipIf(!hasPostgres())("an additive step", () => {
  it("lets the older program write, claim, sweep, join transactions and open", async () => {
    const result = await withOlder((store, older) =>
      Effect.gen(function* () {
        // Each statement often enough for a plan that the server keeps.
        const use = (name: string) =>
          Effect.gen(function* () {
            for (let n = 0; n < 20; n++) {
              yield* store.claim(claim)
              yield* store.read([readDelivery])
              yield* store.commit([put(`${name}${n}`)])
            }
          })
        yield* store.commit([put("before")])
        yield* use("early")
        yield* older.migrateTo(additive)
        yield* Effect.promise(() => older.ownerPool.query(dueDeliverySql))
        const claimed = yield* store.claim(claim)
        yield* use("late")
        yield* store.commit([put("after")])
        yield* store.sweep({ kind: "leases", before: 1, limit: 10 } as never)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const joined = yield* joining(store, older)
            yield* joined.store.commit([put("joined")])
            yield* joined.end(true)
          })
        )
        const again = yield* PostgresMailStore.make({ pool: older.pool })
        const values = yield* again.read([readSetting("before"), readSetting("after")])
        return { claimed: claimed.length, values }
      })
    )
    expect(result).toEqual({ claimed: 2, values: ["x", "x"] })
  })

  it("is applied while the older program writes, without a failed write", async () => {
    const written = await withOlder((store, older) =>
      Effect.gen(function* () {
        const writes = yield* Effect.forkScoped(
          Effect.forEach(
            Array.from({ length: 60 }, (_, n) => put(`s${n}`)),
            (change) => store.commit([change]),
            { discard: true }
          )
        )
        yield* older.migrateTo(additive)
        yield* Fiber.join(writes)
        const { rows } = yield* Effect.promise(() =>
          older.ownerPool.query(
            "SELECT count(*)::integer AS settings, (SELECT version FROM mailkeep.schema_version) AS version FROM mailkeep.settings"
          )
        )
        return rows as ReadonlyArray<unknown>
      })
    )
    expect(written).toEqual([{ settings: 60, version: schemaVersion + 1 }])
  })

  it("gives the role of the product its rights on a new table", async () => {
    const count = await withOlder((_, older) =>
      Effect.gen(function* () {
        yield* older.migrateTo(additive)
        return yield* Effect.promise(() => older.pool.query("INSERT INTO mailkeep.notes (id) VALUES ('n')"))
      })
    )
    expect(count.rowCount).toBe(1)
  })

  it("refuses the newer program without a migration until the step is applied", async () => {
    const { refused, isOpened } = await withOlder((_, older) =>
      Effect.gen(function* () {
        const refused = yield* Effect.flip(older.openNewer(false, additive))
        yield* older.openNewer(true, additive)
        return { refused, isOpened: yield* Effect.as(older.openNewer(false, additive), true) }
      })
    )
    expect([refused.reason, refused.message.split(":")[0], isOpened]).toEqual([
      "older_schema",
      `The tables have version ${schemaVersion}, and this program needs version ${schemaVersion + 1}. Migrate the tables with the role that owns the schema, by any command, \`migratePostgres\` or \`PostgresMailStore.migrate\``,
      true
    ])
  })
})

describe.skipIf(!hasPostgres())("a breaking step", () => {
  const newest = schemaVersion + 2
  const detail = `The tables have version ${newest}. Programs before version ${newest} cannot use them, and this program has version ${schemaVersion}. Start the newer program`

  it("makes the older program refuse each write with a typed failure, and keeps nothing of it", async () => {
    const result = await withOlder((store, older) =>
      Effect.gen(function* () {
        yield* Effect.promise(() => older.ownerPool.query(dueDeliverySql))
        yield* older.migrateTo(additive, breaking)
        const failures = yield* Effect.all([
          Effect.flip(store.commit([put("after")])),
          Effect.flip(store.commit([{ _tag: "TouchApiKey", id: "key_1", lastUsedAt: 5 } as never])),
          Effect.flip(store.claim(claim)),
          Effect.flip(store.sweep({ kind: "leases", before: 1, limit: 10 } as never)),
          Effect.flip(store.read([readSetting("before")])),
          Effect.flip(Effect.scoped(joining(store, older)))
        ])
        const refused = yield* Effect.flip(Effect.scoped(PostgresMailStore.make({ pool: older.pool })))
        const { rows } = yield* Effect.promise(() =>
          older.ownerPool.query(
            "SELECT (SELECT count(*) FROM mailkeep.settings)::integer AS settings, (SELECT count(worker) FROM mailkeep.deliveries)::integer AS claimed"
          )
        )
        return { failures, refused, rows: rows as ReadonlyArray<unknown> }
      })
    )
    const unavailable = { _tag: "StoreUnavailable", reason: "newer_schema", message: `${detail}.`, isRetryable: false }
    expect(result.failures).toMatchObject([
      ...Array.from({ length: 5 }, () => unavailable),
      { _tag: "TransactionRefused", reason: "other_schema", message: `${detail}.` }
    ])
    expect([result.refused.reason, result.refused.message.split(": schema")[0]]).toEqual(["newer_schema", detail])
    expect(result.rows).toEqual([{ settings: 0, claimed: 0 }])
  })

  it("refuses a commit that began before the step and ends after the step, and keeps nothing of it", async () => {
    const result = await withOlder((store, older) =>
      Effect.gen(function* () {
        const other = yield* Effect.acquireRelease(
          Effect.promise(() => older.ownerPool.connect()),
          (client) => Effect.sync(() => client.release(true))
        )
        const otherRuns = (sql: string) => Effect.promise(() => other.query(sql))
        // The commit waits until this transaction ends, because both write the same setting.
        yield* otherRuns("BEGIN; INSERT INTO mailkeep.settings (name, value) VALUES ('same', 'x')")
        const commit = yield* Effect.forkChild(Effect.flip(store.commit([put("same"), put("another")])))
        const waiting = "SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'"
        yield* Effect.promise(() => expect.poll(async () => (await other.query(waiting)).rows.length).toBe(1))
        yield* older.migrateTo({ sql: () => "SELECT 1", isBreaking: true })
        yield* otherRuns("ROLLBACK")
        const failure = yield* Fiber.join(commit)
        const { rows } = yield* otherRuns("SELECT name FROM mailkeep.settings")
        return { failure, rows: rows as ReadonlyArray<unknown> }
      })
    )
    expect(result.failure).toMatchObject({ _tag: "StoreUnavailable", reason: "newer_schema" })
    expect(result.rows).toEqual([])
  })

  it("refuses a claim by the mark alone when the search still works", async () => {
    const failure = await withOlder((store, older) =>
      Effect.gen(function* () {
        yield* Effect.promise(() => older.ownerPool.query(dueDeliverySql))
        yield* older.migrateTo({ sql: () => "SELECT 1", isBreaking: true })
        return yield* Effect.flip(store.claim(claim))
      })
    )
    expect(failure).toMatchObject({ _tag: "StoreUnavailable", reason: "newer_schema" })
  })

  it("waits for a transaction of the older program that has written, and lets others write meanwhile", async () => {
    const result = await withOlder((store, older) =>
      Effect.gen(function* () {
        const migration = yield* Effect.scoped(
          Effect.gen(function* () {
            const joined = yield* joining(store, older)
            yield* joined.store.commit([put("joined")])
            yield* joined.end(true)
            const fiber = yield* Effect.forkDetach(older.migrateTo(breaking))
            const waiting = () =>
              older.ownerPool.query(
                "SELECT FROM pg_locks WHERE NOT granted AND relation = 'mailkeep.schema_version'::regclass"
              )
            yield* Effect.promise(() => expect.poll(async () => (await waiting()).rows.length).toBe(1))
            yield* store.commit([put("meanwhile")])
            return fiber
          })
        )
        yield* Fiber.join(migration)
        return yield* Effect.flip(store.commit([put("after")]))
      })
    )
    expect(result).toMatchObject({ reason: "newer_schema" })
  })
})
