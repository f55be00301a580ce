/**
 * The rights of the guide: one role owns the tables, and another may only read and write. The laws of the store run with the second role too, in
 * `bouncer.conformance.test.ts`.
 */
import type { BucketRef, StoreNotOpened } from "@mailkeep/core/adapter"
import { RateLimiter, sweepKinds } from "@mailkeep/core/adapter"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { createGuideRoles, guideRolesOf } from "@mailkeep/test-support/postgresGuide"
import { Effect } from "effect"
import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import { schemaVersion } from "../src/internal/migrations.ts"
import { missingRights, neededRights } from "../src/internal/missingRights.ts"
import { makeDatabase } from "../src/internal/database.ts"
import type { PostgresOptions } from "../src/PostgresMailStore.ts"
import { PostgresMailStore, sharedServices } from "../src/index.ts"
import { testServer } from "./testServer.ts"

const migrate = (connectionString: string) => Effect.runPromise(PostgresMailStore.migrate({ connectionString }))

/** A database with the roles of the guide. The superuser can `run` statements in it. */
const databaseWithRoles = async ({ isMigrated = true } = {}) => {
  const server = await testServer()
  const database = await server.createDatabase()
  const { owner, app } = guideRolesOf(database)
  await createGuideRoles({ server, database, ...(isMigrated ? { migrate } : {}) })
  return {
    owner,
    app,
    ownerUrl: server.urlOf(database, owner),
    appUrl: server.urlOf(database, app),
    run: (...sql: ReadonlyArray<string>) => server.run(database, ...sql)
  }
}

const refusalOf = (options: PostgresOptions): Promise<StoreNotOpened> =>
  Effect.runPromise(Effect.scoped(Effect.flip(PostgresMailStore.make(options))))

const poolOf = (connectionString: string) => {
  const pool = new pg.Pool({ connectionString, max: 3 })
  onTestFinished(() => pool.end())
  return pool
}

const setting = { _tag: "PutSetting", name: "color", value: "blue" } as const

describe.skipIf(!hasPostgres())("the roles of the guide", () => {
  it("lets an owner without the right to create schemas migrate", async () => {
    const { owner, ownerUrl } = await databaseWithRoles()
    const pool = poolOf(ownerUrl)
    const { rows } = await pool.query(
      `SELECT current_user AS name, rolsuper AS super, has_database_privilege(current_database(), 'CREATE') AS creates,
(SELECT version FROM mailkeep.schema_version) AS version, (SELECT tableowner FROM pg_tables WHERE tablename = 'messages') AS owner
FROM pg_roles WHERE rolname = current_user`
    )
    expect(rows).toEqual([{ name: owner, super: false, creates: false, version: schemaVersion, owner }])
  })

  it("lets the other role commit, read, sweep, join a transaction, share rate limits and notify", async () => {
    const { appUrl } = await databaseWithRoles()
    const pool = poolOf(appUrl)
    const ref: BucketRef = { scope: "api_key", id: "key_1", limit: { requests: 3, windowMillis: 60_000 } } as never
    const program = Effect.gen(function* () {
      const store = yield* PostgresMailStore.PostgresMailStore
      const limiter = yield* RateLimiter
      yield* store.commit([setting])
      const swept = yield* Effect.forEach(sweepKinds, (kind) => store.sweep({ kind, before: 1, limit: 10 }))
      const { deleted } = yield* store.sweepMessages({ before: 1, after: null, limit: 10 })
      const decision = yield* limiter.take([ref], 1000)
      const client = yield* Effect.promise(() => pool.connect())
      yield* Effect.promise(() => client.query("BEGIN"))
      const joined = yield* store.joinTransaction!(client)
      yield* joined.store.commit([{ ...setting, name: "joined" }])
      yield* joined.end(true)
      yield* Effect.promise(() => client.query("COMMIT"))
      client.release()
      const values = yield* store.read([
        { _tag: "Setting", name: "color" },
        { _tag: "Setting", name: "joined" }
      ])
      return { swept: [...swept, deleted], allowed: decision.allowed, values }
    })
    const layer = sharedServices.layer({ pool, migrate: false, listen: appUrl })
    expect(await Effect.runPromise(Effect.provide(program, layer))).toEqual({
      swept: [0, 0, 0, 0, 0],
      allowed: true,
      values: ["blue", "blue"]
    })
  })

  it.each(["before", "after"])(
    "refuses only to join transactions for a role that may not read which server it is on, and names the right when it was revoked %s the opening",
    async (when) => {
      const { appUrl, run } = await databaseWithRoles()
      const revoke = Effect.promise(() => run("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC"))
      const pool = poolOf(appUrl)
      const program = Effect.gen(function* () {
        if (when === "before") yield* revoke
        const store = yield* PostgresMailStore.make({ pool, migrate: false })
        if (when === "after") yield* revoke
        yield* store.commit([setting])
        const client = yield* Effect.promise(() => pool.connect())
        yield* Effect.promise(() => client.query("BEGIN"))
        const refused = yield* Effect.flip(store.joinTransaction!(client))
        yield* Effect.promise(() => client.query("ROLLBACK"))
        client.release()
        return refused
      })
      expect(await Effect.runPromise(Effect.scoped(program))).toMatchObject({
        _tag: "TransactionRefused",
        reason: "not_supported",
        message: expect.stringContaining("pg_control_system()")
      })
    }
  )

  it("lets the other role change no table and not the version", async () => {
    const { appUrl } = await databaseWithRoles()
    const pool = poolOf(appUrl)
    for (const sql of [
      "DROP TABLE mailkeep.settings",
      "ALTER TABLE mailkeep.settings ADD COLUMN x text",
      "CREATE TABLE mailkeep.x (a text)",
      "CREATE SCHEMA x",
      "TRUNCATE mailkeep.settings",
      "UPDATE mailkeep.schema_version SET version = 99"
    ])
      await expect(pool.query(sql), sql).rejects.toMatchObject({ code: "42501" })
  })

  it("says which role must migrate when the tables do not exist", async () => {
    const { appUrl, ownerUrl } = await databaseWithRoles({ isMigrated: false })
    const refused = await refusalOf({ connectionString: appUrl, migrate: false })
    expect([refused.reason, refused.message]).toEqual([
      "not_a_database",
      expect.stringMatching(
        /^The tables do not exist\. Migrate the tables with the role that owns the schema, by any command, `migratePostgres` or `PostgresMailStore\.migrate`: /
      )
    ])
    const notAllowed = await refusalOf({ connectionString: appUrl })
    expect([notAllowed.reason, notAllowed.message]).toEqual([
      "not_granted",
      expect.stringContaining("`PostgresMailStore.migrate`")
    ])
    await migrate(ownerUrl)
    const value = await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(PostgresMailStore.make({ connectionString: appUrl, migrate: false }), (store) =>
          Effect.andThen(store.commit([setting]), store.read([{ _tag: "Setting", name: "color" }]))
        )
      )
    )
    expect(value).toEqual(["blue"])
  })

  it("names the rights that the role does not have", async () => {
    const { app, appUrl, run } = await databaseWithRoles()
    await run(
      `REVOKE INSERT, DELETE ON mailkeep.messages FROM ${app}`,
      `REVOKE USAGE ON SEQUENCE mailkeep.commits FROM ${app}`
    )
    const refused = await refusalOf({ connectionString: appUrl, migrate: false })
    expect([refused.reason, refused.message.split(":")[0]]).toEqual([
      "not_granted",
      `The role ${app} may not INSERT, DELETE on messages; USAGE on commits. Grant the rights of the guide`
    ])
    await run(`REVOKE USAGE ON SCHEMA mailkeep FROM ${app}`)
    expect((await refusalOf({ connectionString: appUrl, migrate: false })).reason).toBe("not_granted")
  })

  it("refuses to open while row security hides all rows of a table, and opens when a policy shows them", async () => {
    const { app, appUrl, run } = await databaseWithRoles()
    const refusal = async () => {
      const refused = await refusalOf({ connectionString: appUrl, migrate: false })
      return [refused.reason, refused.message.split(":")[0]]
    }
    await run("ALTER TABLE mailkeep.deliveries ENABLE ROW LEVEL SECURITY")
    expect(await refusal()).toEqual([
      "not_granted",
      `Row security hides all rows of deliveries from the role ${app}. Turn it off for these tables, or give the role BYPASSRLS`
    ])
    await run("ALTER TABLE mailkeep.schema_version ENABLE ROW LEVEL SECURITY")
    // A restrictive policy alone shows nothing.
    await run("CREATE POLICY less ON mailkeep.deliveries AS RESTRICTIVE TO PUBLIC USING (true)")
    expect((await refusal())[1]).toMatch(/^Row security hides all rows of schema_version, deliveries from the role /)
    await run(`CREATE POLICY every ON mailkeep.schema_version TO ${app} USING (true)`)
    await run("CREATE POLICY every ON mailkeep.deliveries TO PUBLIC USING (true)")
    const opened = Effect.scoped(Effect.asVoid(PostgresMailStore.make({ connectionString: appUrl, migrate: false })))
    await Effect.runPromise(opened)
  })

  it("fails with StoreUnavailable while the role lacks a right that it had at the opening", async () => {
    const { app, appUrl, run } = await databaseWithRoles()
    const outcomes = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* PostgresMailStore.make({ connectionString: appUrl, migrate: false })
          const calls = [
            Effect.asVoid(store.commit([setting])),
            Effect.asVoid(store.read([{ _tag: "Setting", name: "color" }]))
          ]
          yield* Effect.promise(() => run(`REVOKE INSERT, SELECT ON mailkeep.settings FROM ${app}`))
          const failures = yield* Effect.forEach(calls, (call) => Effect.flip(call))
          yield* Effect.promise(() => run(`GRANT INSERT, SELECT ON mailkeep.settings TO ${app}`))
          yield* Effect.all(calls)
          return failures
        })
      )
    )
    const expected = { _tag: "StoreUnavailable", isRetryable: true, message: expect.stringContaining("Grant it") }
    expect(outcomes).toEqual([expect.objectContaining(expected), expect.objectContaining(expected)])
  })

  it("asks for rights on every table and sequence of the schema", async () => {
    const { owner, ownerUrl, run } = await databaseWithRoles()
    const pool = poolOf(ownerUrl)
    const { rows } = await pool.query<{ readonly relname: string }>(
      "SELECT relname FROM pg_class WHERE relnamespace = 'mailkeep'::regnamespace AND relkind IN ('r', 'p', 'S') ORDER BY 1"
    )
    expect(Object.keys(neededRights).toSorted()).toEqual(rows.map(({ relname }) => relname))
    const missing = () => makeDatabase(pool).use((connection) => missingRights(connection, "mailkeep"))
    expect(await missing()).toBeUndefined()
    await run(`REVOKE ALL ON ALL TABLES IN SCHEMA mailkeep FROM ${owner}`)
    expect(await missing()).toContain("and 17 more")
  })
})
