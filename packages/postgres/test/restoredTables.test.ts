/**
 * Tables whose records an operator has copied in pieces: with a dump of the records alone, a dump of the tables alone, or a subscription of another server.
 */
import { wholeRotation } from "@mailkeep/core/adapter"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect } from "effect"
import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { makeDatabase } from "../src/internal/database.ts"
import { migrateSchema, migrations } from "../src/internal/migrations.ts"
import { testServer } from "./testServer.ts"

const claim = {
  kind: "dueQueued",
  worker: "w",
  now: 2000,
  leaseUntil: 3000,
  limit: 10,
  rotation: wholeRotation
} as never

const dueDeliverySql = `INSERT INTO mailkeep.deliveries (id, project_id, message_id, kind, recipient, address, source, bulk, created_at, status, due_at, fencing_token, attempt_count, deferrals, ambiguous_attempts, worker_deaths, reached_relay, sequence)
VALUES ('del_1', 'prj_1', 'msg_1', 'to', 'a@b.example', 'a@b.example', 'api', false, 1, 'queued', 1000, 0, 0, 0, 0, 0, false, 0)`

/** Migrated tables, in which `statements` have run. */
const migratedPool = async (...statements: ReadonlyArray<string>): Promise<pg.Pool> => {
  const server = await testServer()
  const name = await server.createDatabase()
  const pool = new pg.Pool({ connectionString: server.urlOf(name), max: 3, pipeline: true })
  onTestFinished(() => pool.end())
  await Effect.runPromise(PostgresMailStore.migrate({ pool }))
  for (const sql of statements) await pool.query(sql)
  return pool
}

/** What the records of an older version add to migrated tables: the row of their own version. */
const olderVersionSql = "INSERT INTO mailkeep.schema_version VALUES (1, 1)"

describe.skipIf(!hasPostgres())("a store whose records were copied into its tables", () => {
  it("commits and claims when the dump has added its version to that of the tables", async () => {
    const pool = await migratedPool(olderVersionSql, dueDeliverySql)
    const result = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* PostgresMailStore.make({ pool, migrate: false })
          yield* store.commit([{ _tag: "PutSetting", name: "color", value: "blue" }])
          return yield* store.claim(claim)
        })
      )
    )
    expect(result).toMatchObject([{ id: "del_1" }])
    const { rows } = await pool.query("SELECT last_value::integer AS commits FROM mailkeep.commits")
    expect(rows).toEqual([{ commits: 1 }])
  })

  it("opens when the version of the dump comes first and is older than that of the tables", async () => {
    const pool = await migratedPool(
      "TRUNCATE mailkeep.schema_version",
      olderVersionSql,
      `INSERT INTO mailkeep.schema_version VALUES (${migrations.length}, 1)`
    )
    const opening = Effect.runPromise(Effect.scoped(PostgresMailStore.make({ pool, migrate: false })))
    await expect(opening).resolves.toBeDefined()
  })

  it("takes the next step once, and has one version afterwards", async () => {
    const pool = await migratedPool(olderVersionSql)
    const steps = [...migrations, { sql: () => "CREATE TABLE mailkeep.notes (id integer)", isBreaking: true }]
    await Effect.runPromise(migrateSchema(makeDatabase(pool), '"mailkeep"', { steps }))
    const { rows } = await pool.query("SELECT DISTINCT version, compatible_from FROM mailkeep.schema_version")
    expect(rows).toEqual([{ version: steps.length, compatible_from: steps.length }])
  })

  it.each([true, false])(
    "says that the records are missing after a dump of the tables alone, migrate: %s",
    async (migrate) => {
      const pool = await migratedPool("TRUNCATE mailkeep.schema_version")
      await expect(Effect.runPromise(Effect.scoped(PostgresMailStore.make({ pool, migrate })))).rejects.toMatchObject({
        reason: "not_a_database",
        message: expect.stringContaining("The tables were copied without their records")
      })
      await expect(Effect.runPromise(PostgresMailStore.migrate({ pool }))).rejects.toMatchObject({
        reason: "not_a_database",
        message: expect.stringContaining("The tables were copied without their records")
      })
    }
  )
})
