import pg from "pg"
import { describe, expect, it } from "vitest"
import { makeDatabase, settleAll } from "../src/internal/database.ts"
import { testServer } from "./testServer.ts"

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
