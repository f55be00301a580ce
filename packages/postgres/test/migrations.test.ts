/**
 * What a migration does on a server and in a schema that an operator has set up in an unusual way.
 */
import { hasPostgres, postgresVersion } from "@mailkeep/test-support/postgres"
import { Effect } from "effect"
import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import { makeDatabase } from "../src/internal/database.ts"
import type { Migration } from "../src/internal/migrations.ts"
import { migrateSchema, migrations } from "../src/internal/migrations.ts"
import { PostgresMailStore } from "../src/index.ts"
import { testServer } from "./testServer.ts"

/** Takes longer than the limit of the operator. */
const slow: Migration = { sql: () => "SELECT pg_sleep(0.5)", isBreaking: false }

/** The second limit is new in PostgreSQL 17. */
const limits = ["statement_timeout", ...(hasPostgres() && postgresVersion() >= 17 ? ["transaction_timeout"] : [])]

describe.skipIf(!hasPostgres())("migrate", () => {
  it.each(limits)("lets a step take longer than the %s of the role", async (limit) => {
    const server = await testServer()
    const name = await server.createDatabase()
    await server.run(name, `ALTER DATABASE ${name} SET ${limit} = 250`)
    const pool = new pg.Pool({ connectionString: server.urlOf(name) })
    onTestFinished(() => pool.end())
    const steps = [...migrations, slow]
    await Effect.runPromise(migrateSchema(makeDatabase(pool), '"mailkeep"', { steps }))
    const { rows } = await pool.query("SELECT version FROM mailkeep.schema_version")
    expect(rows).toEqual([{ version: steps.length }])
  })

  it.each(["before the first migration", "between two migrations"])(
    "makes the next step in a database that publishes all its tables since %s",
    async (moment) => {
      const server = await testServer()
      const name = await server.createDatabase()
      const pool = new pg.Pool({ connectionString: server.urlOf(name) })
      onTestFinished(() => pool.end())
      const migrateTo = (steps: ReadonlyArray<Migration>) =>
        Effect.runPromise(migrateSchema(makeDatabase(pool), '"mailkeep"', { steps }))
      if (moment === "between two migrations") await migrateTo(migrations)
      await server.run(name, "CREATE PUBLICATION all_tables FOR ALL TABLES")
      const steps = [...migrations, { ...slow, sql: () => "SELECT 1" }]
      await migrateTo(steps)
      const { rows } = await pool.query("SELECT version FROM mailkeep.schema_version")
      expect(rows).toEqual([{ version: steps.length }])
    }
  )

  it("says that a trigger of the database forbids the migration, and so does the opening", async () => {
    const server = await testServer()
    const database = await server.createDatabase()
    await server.run(
      database,
      "CREATE FUNCTION public.forbid() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'secret'; END $$",
      "CREATE EVENT TRIGGER forbid ON ddl_command_start EXECUTE FUNCTION public.forbid()"
    )
    const options = { connectionString: server.urlOf(database) }
    for (const open of [PostgresMailStore.migrate(options), Effect.scoped(PostgresMailStore.make(options))])
      await expect(Effect.runPromise(open)).rejects.toMatchObject({
        reason: "not_granted",
        isRetryable: false,
        message: expect.stringMatching(/^A trigger of the database forbids a statement(?!.*secret)/)
      })
  })

  it("refuses a database with another encoding than UTF8, and creates nothing", async () => {
    const server = await testServer()
    const name = "test_latin1"
    await server.run(
      "postgres",
      `CREATE DATABASE ${name} TEMPLATE template0 ENCODING LATIN1 LC_COLLATE 'C' LC_CTYPE 'C'`
    )
    const connectionString = server.urlOf(name)
    const pool = new pg.Pool({ connectionString })
    onTestFinished(() => pool.end())
    await expect(Effect.runPromise(PostgresMailStore.migrate({ connectionString }))).rejects.toMatchObject({
      reason: "unsupported_runtime",
      message: expect.stringContaining("LATIN1")
    })
    expect((await pool.query("SELECT FROM pg_namespace WHERE nspname = 'mailkeep'")).rowCount).toBe(0)
  })

  it.each<[string, ReadonlyArray<string>, string, string]>([
    ["tables of the product", ["CREATE TABLE public.messages (id integer)"], "public", "Choose another schema"],
    [
      "a schema_version of another program",
      ["CREATE TABLE public.schema_version (script text)"],
      "public",
      "Choose another schema"
    ],
    ["a reserved name", [], "pg_mail", "begin with pg_"]
  ])("says what is wrong with a schema that has %s, and so does the opening", async (_, statements, schema, text) => {
    const server = await testServer()
    const database = await server.createDatabase()
    await server.run(database, ...statements)
    const options = { connectionString: server.urlOf(database), schema }
    for (const open of [PostgresMailStore.migrate(options), Effect.scoped(PostgresMailStore.make(options))])
      await expect(Effect.runPromise(open)).rejects.toMatchObject({
        reason: "not_a_database",
        isRetryable: false,
        message: expect.stringContaining(text)
      })
  })
})
