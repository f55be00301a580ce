import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect, Fiber } from "effect"
import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { testServer } from "./testServer.ts"

const setting = [{ _tag: "PutSetting", name: "a", value: "x" } as const]

describe.skipIf(!hasPostgres())("a pool of the product", () => {
  it("fails a commit that waits for a connection when a file of a certificate is missing, and commits when it is there again", async () => {
    const server = await testServer()
    const folder = mkdtempSync(join(tmpdir(), "mailkeep-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, "ca.pem")
    writeFileSync(file, "")
    const url = `${server.urlOf(await server.createDatabase())}?sslmode=disable&sslrootcert=${file}`
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    onTestFinished(() => pool.end())
    const program = Effect.gen(function* () {
      const store = yield* PostgresMailStore.make({ pool })
      const client = yield* Effect.promise(() => pool.connect())
      const commit = yield* Effect.forkChild(Effect.flip(store.commit(setting)), { startImmediately: true })
      yield* Effect.promise(() => expect.poll(() => pool.waitingCount).toBe(1))
      rmSync(file)
      // The pool makes the next client when this one has ended.
      client.release(true)
      const failure = yield* Fiber.join(commit)
      const ofProduct = yield* Effect.promise(() => pool.query("SELECT 1").catch((cause: unknown) => cause))
      writeFileSync(file, "")
      yield* store.commit(setting)
      return [failure, ofProduct] as const
    })
    const [failure, ofProduct] = await Effect.runPromise(Effect.scoped(program))
    expect(failure).toMatchObject({ reason: "unreachable", cause: { code: "ENOENT" } })
    expect(ofProduct).toMatchObject({ code: "ENOENT" })
  })
})
