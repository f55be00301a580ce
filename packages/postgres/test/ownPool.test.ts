import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { makeDatabase } from "../src/internal/database.ts"
import { makeOwnPool } from "../src/internal/ownPool.ts"
import { isConnectionLost } from "../src/internal/sqlStates.ts"
import { testServer } from "./testServer.ts"

describe.skipIf(!hasPostgres())("makeOwnPool", () => {
  it("fails a caller that waits for a connection when a file of a certificate is missing, and connects when it is there again", async () => {
    const server = await testServer()
    const folder = mkdtempSync(join(tmpdir(), "mailkeep-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, "ca.pem")
    writeFileSync(file, "")
    const url = `${server.urlOf("postgres")}?sslmode=disable&sslrootcert=${file}`
    const { pool, end } = makeOwnPool(url, 1)
    pool.on("error", () => {})
    const database = makeDatabase(pool)
    const select = () => database.use((connection) => connection.query("SELECT 1 AS one"))
    let waiting: Promise<unknown> = Promise.resolve()
    const lost = database.use((connection) => {
      waiting = select().catch((cause: unknown) => cause)
      rmSync(file)
      return connection.query("SELECT pg_terminate_backend(pg_backend_pid())")
    })
    await expect(lost).rejects.toThrow()
    expect(isConnectionLost(await waiting)).toBe(true)
    expect(await waiting).toMatchObject({ code: "ENOENT" })
    writeFileSync(file, "")
    expect(await select()).toEqual([{ one: 1 }])
    await Effect.runPromise(end)
  })
})
