import { StoreNotOpened } from "@mailkeep/core/adapter"
import { Effect, Exit } from "effect"
import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import type { PostgresOptions } from "../src/PostgresMailStore.ts"
import { PostgresMailStore } from "../src/index.ts"
import { testServer } from "./testServer.ts"

/** The address of a new database. `settings` run in it first. */
const freshDatabase = async (...settings: ReadonlyArray<string>) => {
  const server = await testServer()
  const name = await server.createDatabase()
  await server.run(name, ...settings.map((sql) => sql.replaceAll("DATABASE_NAME", name)))
  return { url: server.urlOf(name), run: (...sql: ReadonlyArray<string>) => server.run(name, ...sql) }
}

const opened = <A, E>(
  options: PostgresOptions,
  use: (store: PostgresMailStore.PostgresMailStoreShape) => Effect.Effect<A, E>
) => Effect.runPromise(Effect.scoped(Effect.flatMap(PostgresMailStore.make(options), use)))

const refusal = async (options: PostgresOptions): Promise<StoreNotOpened> => {
  const exit = await Effect.runPromiseExit(Effect.scoped(PostgresMailStore.make(options)))
  const failure = Exit.isFailure(exit) ? exit.cause.reasons.find(({ _tag }) => _tag === "Fail") : undefined
  const error = failure !== undefined && "error" in failure ? failure.error : undefined
  if (error instanceof StoreNotOpened) return error
  throw new Error("The store was opened.")
}

const setting = { _tag: "PutSetting", name: "color", value: "blue" } as const

const readSetting = (store: PostgresMailStore.PostgresMailStoreShape) =>
  Effect.map(store.read([{ _tag: "Setting", name: "color" }]), ([value]) => value)

const withPool = async <A>(connectionString: string, use: (pool: pg.Pool) => Promise<A>): Promise<A> => {
  const pool = new pg.Pool({ connectionString, max: 2 })
  try {
    return await use(pool)
  } finally {
    await pool.end()
  }
}

describe("make", () => {
  it("keeps two stores apart when their schemas differ", async () => {
    const { url } = await freshDatabase()
    await opened({ connectionString: url, schema: 'odd "name' }, (store) => store.commit([setting]))
    expect(await opened({ connectionString: url, schema: 'odd "name' }, readSetting)).toBe("blue")
    expect(await opened({ connectionString: url }, readSetting)).toBe(null)
  })

  it("opens a store with the longest name of a schema again", async () => {
    const { url } = await freshDatabase()
    const schema = "ä".repeat(31).padEnd(32, "x")
    await opened({ connectionString: url, schema }, (store) => store.commit([setting]))
    expect(await opened({ connectionString: url, schema }, readSetting)).toBe("blue")
  })

  it.each<[string, Partial<PostgresOptions>, string]>([
    ["an empty name of a schema", { schema: "" }, "schema must have 1 to 63 bytes, and this name has 0."],
    [
      "a name of a schema that the server would cut off",
      { schema: "ä".repeat(32) },
      "schema must have 1 to 63 bytes, and this name has 64."
    ],
    ["no connection", { connectionsMax: 0 }, "connectionsMax must be an integer of at least 1."],
    ["a negative number of connections", { connectionsMax: -1 }, "connectionsMax must be an integer of at least 1."],
    ["a part of a connection", { connectionsMax: 1.5 }, "connectionsMax must be an integer of at least 1."]
  ])("refuses %s before it connects, and so does migrate", async (_, options, message) => {
    const all = { connectionString: "postgres://mail@127.0.0.1:9/shop", ...options } as PostgresOptions
    for (const open of [Effect.scoped(PostgresMailStore.make(all)), PostgresMailStore.migrate(all)])
      await expect(Effect.runPromise(open)).rejects.toThrow(new RangeError(message))
  })

  it("works with the pool of a product that is not pipelined, and does not close it", async () => {
    const { url } = await freshDatabase()
    await withPool(url, async (pool) => {
      expect(await opened({ pool }, (store) => Effect.andThen(store.commit([setting]), readSetting(store)))).toBe(
        "blue"
      )
      expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }])
    })
  })

  it("says that its pool was ended, and that no repeat can help", async () => {
    const { url } = await freshDatabase()
    const pool = new pg.Pool({ connectionString: url })
    const failures = await opened({ pool }, (store) =>
      Effect.gen(function* () {
        yield* Effect.promise(() => pool.end())
        return [yield* Effect.flip(readSetting(store)), yield* Effect.flip(store.commit([setting]))]
      })
    )
    for (const failure of failures)
      expect(failure).toMatchObject({
        reason: "closed",
        isRetryable: false,
        message: "The pool of the store was ended. End it after the store is closed."
      })
    expect(failures).toHaveLength(2)
  })

  it("refuses a pool with binary values, and so does migrate", async () => {
    const { url } = await freshDatabase()
    const pool = new pg.Pool({ connectionString: url, binary: true } as pg.PoolConfig)
    onTestFinished(() => pool.end())
    for (const open of [Effect.scoped(PostgresMailStore.make({ pool })), PostgresMailStore.migrate({ pool })])
      await expect(Effect.runPromise(open)).rejects.toMatchObject({
        reason: "unsupported_runtime",
        message: expect.stringContaining("Remove the option")
      })
  })

  it("refuses tables of a newer version that this program cannot use", async () => {
    const { url, run } = await freshDatabase()
    await opened({ connectionString: url }, () => Effect.void)
    await run("UPDATE mailkeep.schema_version SET version = 99, compatible_from = 99")
    expect((await refusal({ connectionString: url })).reason).toBe("newer_schema")
  })

  it.each(["off", "local"])(
    "refuses a database where synchronous_commit is %s, unless this is allowed",
    async (value) => {
      const { url } = await freshDatabase(`ALTER DATABASE "DATABASE_NAME" SET synchronous_commit = ${value}`)
      const refused = await refusal({ connectionString: url })
      expect([refused.reason, refused.message]).toEqual(["not_durable", expect.stringContaining(`is ${value}`)])
      const capabilities = await opened({ connectionString: url, allowAsynchronousCommit: true }, (store) =>
        Effect.succeed(store.capabilities)
      )
      expect(capabilities).toEqual({ durable: false, multiProcess: true })
    }
  )

  it.each([
    ["off", false, "on"],
    ["local", false, "on"],
    ["remote_apply", false, "remote_apply"],
    ["off", true, "off"]
  ])(
    "commits on a connection with synchronous_commit = %s, with early answers allowed: %s, as with %s",
    async (value, allowAsynchronousCommit, expected) => {
      const { url, run } = await freshDatabase()
      const pool = new pg.Pool({ connectionString: url, max: 1 })
      onTestFinished(() => pool.end())
      const setting = await opened({ pool, allowAsynchronousCommit }, (store) =>
        Effect.gen(function* () {
          // The trigger runs at the end of the transaction.
          yield* Effect.promise(() =>
            run(
              "CREATE TABLE public.seen (setting text)",
              "CREATE FUNCTION public.see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$",
              "CREATE CONSTRAINT TRIGGER see AFTER INSERT ON mailkeep.settings DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.see()"
            )
          )
          yield* Effect.promise(() => pool.query(`SET synchronous_commit = ${value}`))
          yield* store.commit([{ _tag: "PutSetting", name: "size", value: "large" }])
          const { rows } = yield* Effect.promise(() =>
            pool.query<{ setting: string }>("SELECT setting FROM public.seen")
          )
          return rows.map((row) => row.setting)
        })
      )
      expect(setting).toEqual([expected])
    }
  )

  it("refuses a role that may only read", async () => {
    const { url } = await freshDatabase('ALTER DATABASE "DATABASE_NAME" SET default_transaction_read_only = on')
    const refused = await refusal({ connectionString: url })
    expect([refused.reason, refused.message]).toEqual([
      "read_only",
      expect.stringContaining("default_transaction_read_only")
    ])
  })

  it("says that the server canceled a statement when it was too slow for the role", async () => {
    const { url } = await freshDatabase()
    await opened({ connectionString: url }, () => Effect.void)
    const client = new pg.Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    await client.query("BEGIN; LOCK TABLE mailkeep.schema_version IN ACCESS EXCLUSIVE MODE")
    const pool = new pg.Pool({ connectionString: url, statement_timeout: 200 })
    onTestFinished(() => pool.end())
    const refused = await refusal({ pool })
    expect([refused.reason, refused.message]).toEqual(["locked", expect.stringContaining("canceled")])
  })

  it("shows neither host nor database when a part of the password may be in them", async () => {
    const connectionString = "postgres://mail:9/hidden-word@127.0.0.1/product"
    const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: 2000 })
    onTestFinished(() => pool.end())
    for (const options of [{ connectionString }, { pool }])
      expect((await refusal(options)).where).toBe('schema "mailkeep"')
  })

  it("refuses a server that does not answer, without the password in the message", async () => {
    const refused = await refusal({ connectionString: "postgres://mail:hidden-word@127.0.0.1:9/product" })
    expect([refused.reason, refused.where]).toEqual([
      "unreachable",
      'schema "mailkeep" of database product at 127.0.0.1:9'
    ])
    expect(`${refused.message} ${JSON.stringify(refused)} ${String(refused.cause)}`).not.toContain("hidden-word")
  })
})
