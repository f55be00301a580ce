/**
 * What an operator reads when the server cannot be reached, and how the store makes more connections like those of a pool.
 */
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { once } from "node:events"
import { StoreNotOpened } from "@mailkeep/core/adapter"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { clientConfigOf } from "../src/internal/openPool.ts"
import { testServer } from "./testServer.ts"

const closedPort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

const refusal = (connectionString: string): Promise<StoreNotOpened> =>
  Effect.runPromise(Effect.scoped(Effect.flip(PostgresMailStore.make({ connectionString }))))

describe("make", () => {
  it("says that nothing accepts connections at the address", async () => {
    const port = await closedPort()
    const refused = await refusal(`postgres://user:geheim@127.0.0.1:${port}/shop`)
    expect([refused.reason, refused.message]).toEqual([
      "unreachable",
      `Nothing accepts connections at this address: schema "mailkeep" of database shop at 127.0.0.1:${port}`
    ])
  })

  it("says that the file of a certificate does not exist", async () => {
    const refused = await refusal(
      "postgres://user:geheim@127.0.0.1:1/shop?sslmode=verify-full&sslrootcert=/no/such.pem"
    )
    expect(refused).toBeInstanceOf(StoreNotOpened)
    expect([refused.reason, refused.message]).toEqual([
      "unreachable",
      'A file that the URL names does not exist, such as that of `sslrootcert`: schema "mailkeep"'
    ])
  })
})

describe.skipIf(!hasPostgres())("listen", () => {
  it("warns once when no notifications are received, however often it tries again", async () => {
    const server = await testServer()
    const connectionString = server.urlOf(await server.createDatabase())
    const listen = `postgres://user:geheim@127.0.0.1:${await closedPort()}/shop`
    const warnings: Array<unknown> = []
    const recording = Logger.layer([Logger.make(({ message }) => void warnings.push(message))])
    const program = Effect.gen(function* () {
      yield* PostgresMailStore.make({ connectionString, listen })
      yield* Effect.promise(() => expect.poll(() => warnings.length).toBe(1))
      for (let attempt = 0; attempt < 20; attempt++) {
        yield* TestClock.adjust("10 seconds")
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
    })
    await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide([recording, TestClock.layer()])))
    expect(warnings).toEqual([[expect.stringMatching(/^No notifications are received\./), { code: "ECONNREFUSED" }]])
  })
})

describe("clientConfigOf", () => {
  it("keeps the password, which the pool hides", () => {
    const pool = new pg.Pool({ host: "db.example", user: "app", password: "geheim" })
    expect(clientConfigOf(pool)).toMatchObject({ host: "db.example", user: "app", password: "geheim" })
    expect({ ...pool.options }).not.toHaveProperty("password")
  })
})
