import { hasPostgres, openWatched } from "@mailkeep/test-support/postgres"
import { startBouncer } from "@mailkeep/test-support/postgresBouncer"
import { Effect } from "effect"
import type { Writable } from "node:stream"
import pg from "pg"
import { describe, expect, it } from "vitest"
import type { Connection } from "../src/internal/database.ts"
import { makeDatabase, settleAll } from "../src/internal/database.ts"
import { attemptWrite } from "../src/internal/runStatements.ts"
import { isRepeatable } from "../src/internal/sqlStates.ts"
import { inWriteTransaction } from "../src/internal/transactions.ts"
import { testServer } from "./testServer.ts"

const onePool = async (pipeline: boolean) => {
  const server = await testServer()
  return new pg.Pool({ connectionString: server.urlOf(await server.createDatabase()), max: 1, pipeline })
}

const countOrders = (pool: pg.Pool) =>
  inWriteTransaction(makeDatabase(pool), async (connection) => {
    const [row] = await connection.query<{ readonly count: number }>("SELECT count(*) FROM orders")
    return { value: row!.count, isKept: true }
  })

describe("use", () => {
  it.each([true, false])(
    "fails and takes another connection each time that the server ends one, with pipeline %s",
    async (pipeline) => {
      const server = await testServer()
      const pool = new pg.Pool({ connectionString: server.urlOf(await server.createDatabase()), max: 1, pipeline })
      const losses: Array<Error> = []
      pool.on("error", (error) => losses.push(error))
      const database = makeDatabase(pool)
      const end = () =>
        database.use((connection) =>
          settleAll([connection.query("SELECT pg_terminate_backend(pg_backend_pid())"), connection.query("SELECT 1")])
        )
      await expect(end()).rejects.toThrow()
      await expect(end()).rejects.toThrow()
      expect(await database.use((connection) => connection.query("SELECT 1 AS one"))).toEqual([{ one: 1 }])
      expect(pool.totalCount).toBe(1)
      await pool.end()
    }
  )

  it.each([
    ["an open transaction", "INSERT INTO orders VALUES (1)"],
    ["an open transaction with its own snapshot", "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1"],
    ["a failed transaction", "SELECT 1 / 0"]
  ])("undoes the transaction of a client that the product has released in %s", async (_, sql) => {
    const pool = await onePool(false)
    await pool.query("CREATE TABLE orders (id integer)")
    const client = await pool.connect()
    await client.query("BEGIN")
    await client.query(sql).catch(() => {})
    client.release()
    expect(await countOrders(pool)).toBe(0)
    expect((await pool.query("SELECT FROM orders")).rowCount).toBe(0)
    await pool.end()
  })

  it.each([true, false])(
    "waits for a commit that the product has sent before it released the client, with pipeline %s",
    async (pipeline) => {
      const pool = await onePool(pipeline)
      await pool.query("CREATE TABLE orders (id integer)")
      const client = await pool.connect()
      await client.query("BEGIN; INSERT INTO orders VALUES (1)")
      const committed = client.query("COMMIT")
      client.release()
      expect(await countOrders(pool)).toBe(1)
      expect((await committed).command).toBe("COMMIT")
      await pool.end()
    }
  )

  it("takes another connection after one led to a standby", async () => {
    const server = await testServer()
    const pool = new pg.Pool({ connectionString: server.urlOf(await server.createDatabase()), max: 1 })
    const database = makeDatabase(pool)
    // As a server that was the primary answers after a failover.
    await database.use((connection) => connection.query("SET default_transaction_read_only = on"))
    const create = () => database.use((connection) => connection.query("CREATE TABLE made (id integer)"))
    await expect(create()).rejects.toMatchObject({ code: "25006" })
    await expect(create()).resolves.toEqual([])
    await pool.end()
  })

  it("fails as unreachable when a file of a certificate that the URL names is missing", async () => {
    const server = await testServer()
    const connectionString = `${server.urlOf("postgres")}?sslmode=disable&sslrootcert=/no/such.pem`
    const pool = new pg.Pool({ connectionString })
    const write = attemptWrite(() => makeDatabase(pool).use((connection) => connection.query("SELECT 1")))
    const failure = await Effect.runPromise(Effect.flip(write))
    expect([failure.reason, failure.cause]).toEqual(["unreachable", expect.objectContaining({ code: "ENOENT" })])
    await pool.end()
  })

  it("keeps the process alive when a connection is lost just after it was taken", async () => {
    const server = await testServer()
    const pool = new pg.Pool({ connectionString: server.urlOf(await server.createDatabase()), max: 1 })
    // The driver reads the end of the connection before the waiting caller continues.
    pool.on("acquire", (client) => queueMicrotask(() => client.emit("error", new Error("lost"))))
    const rows = await makeDatabase(pool).use((connection) => connection.query("SELECT 1 AS one"))
    expect(rows).toEqual([{ one: 1 }])
    await pool.end()
  })
})

/** The statements that the server keeps for the connection. */
const keptNames = async (connection: Connection) =>
  (await connection.query<{ readonly name: string }>("SELECT name FROM pg_prepared_statements")).map(({ name }) => name)

const manyTimes = async (connection: Connection) => {
  for (let n = 0; n < 6; n++)
    expect(await connection.prepared("SELECT $1::integer + 1 AS sum", [n])).toEqual([{ sum: n + 1 }])
}

describe.skipIf(!hasPostgres())("prepared", () => {
  it.each([true, false])(
    "lets the server of a direct connection keep statements that are sent often, with pipeline %s",
    async (pipeline) => {
      const pool = await onePool(pipeline)
      const names = await makeDatabase(pool).use(async (connection) => {
        await manyTimes(connection)
        await connection.query("SELECT 1")
        return keptNames(connection)
      })
      expect(names).toEqual([expect.stringMatching(/^mailkeep_/)])
      await pool.end()
    }
  )

  it("leaves nothing in the session behind a pooler", async () => {
    const watched = openWatched({ isInMemory: true })
    const server = await testServer()
    const name = await server.createDatabase()
    const bouncer = await startBouncer(watched, server)
    const pool = new pg.Pool({ connectionString: bouncer.urlOf(name), max: 1, pipeline: true })
    const kept = await makeDatabase(pool).use(async (connection) => {
      await manyTimes(connection)
      return keptNames(connection)
    })
    expect(kept).toEqual([])
    await pool.end()
    await watched.close()
  })

  it.each(["DEALLOCATE ALL", "DISCARD ALL"])(
    "sends statements without a name after the product has run %s",
    async (sql) => {
      const pool = await onePool(true)
      const database = makeDatabase(pool)
      await database.use(manyTimes)
      await pool.query(sql)
      const failure: unknown = await database.use(manyTimes).catch((cause: unknown) => cause)
      // The callers repeat a statement that fails so.
      expect(isRepeatable(failure)).toBe(true)
      expect(await database.use(async (connection) => (await manyTimes(connection), keptNames(connection)))).toEqual([])
      await pool.end()
    }
  )

  it("sends a statement without a name after a migration has changed its columns", async () => {
    const pool = await onePool(true)
    await pool.query("CREATE TABLE numbers (id bigint PRIMARY KEY)")
    const database = makeDatabase(pool)
    const readAll = (connection: Connection) => connection.prepared("SELECT * FROM numbers")
    for (let n = 0; n < 6; n++) await database.use(readAll)
    await pool.query("ALTER TABLE numbers ADD COLUMN name text; INSERT INTO numbers VALUES (1, 'one')")
    expect(isRepeatable(await database.use(readAll).catch((cause: unknown) => cause))).toBe(true)
    expect(await database.use(readAll)).toEqual([{ id: 1, name: "one" }])
    await pool.end()
  })

  it("uses one plan for all values in a transaction that writes, without a scan of the table", async () => {
    const pool = await onePool(true)
    await pool.query("CREATE TABLE numbers (id bigint PRIMARY KEY)")
    const plan = await inWriteTransaction(makeDatabase(pool), async (connection) => {
      await connection.query("PREPARE one (bigint) AS SELECT id FROM numbers WHERE id = $1")
      const rows = await connection.query<Readonly<Record<string, string>>>("EXPLAIN EXECUTE one (7)")
      return { value: rows.map((row) => row["QUERY PLAN"]).join("\n"), isKept: true }
    })
    expect(plan).toContain("id = $1")
    expect(plan).not.toContain("Seq Scan")
    await pool.end()
  })
})

describe.skipIf(!hasPostgres())("query", () => {
  it("sends the statements of one turn with one write", async () => {
    const pool = await onePool(true)
    const writes: Array<string> = []
    pool.on("connect", (client) => {
      const { stream } = (client as unknown as { readonly connection: { readonly stream: Writable } }).connection
      for (const method of ["_write", "_writev"] as const) {
        const write = stream[method]!.bind(stream) as (...parameters: ReadonlyArray<unknown>) => void
        stream[method] = (...parameters: ReadonlyArray<unknown>) => {
          writes.push(method)
          write(...parameters)
        }
      }
    })
    const database = makeDatabase(pool)
    await database.use((connection) => connection.query("SELECT 1"))
    writes.length = 0
    const sums = await database.use((connection) =>
      settleAll([1, 2, 3].map((n) => connection.query("SELECT $1::integer + 1 AS sum", [n])))
    )
    expect(sums).toEqual([[{ sum: 2 }], [{ sum: 3 }], [{ sum: 4 }]])
    expect(writes).toEqual(["_writev"])
    await pool.end()
  })
})
