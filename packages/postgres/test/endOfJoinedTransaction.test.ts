/**
 * The end of a transaction of the product, or of its connection, after a store has joined it.
 */
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { testServer } from "./testServer.ts"
import { join, newPool, query } from "./productClient.ts"

describe.skipIf(!hasPostgres())("a call in a transaction of the product", () => {
  it("is not looked at any more when its connection has ended", async () => {
    const server = await testServer()
    const pool = newPool(server.urlOf(await server.createDatabase()))
    const program = Effect.gen(function* () {
      const store = yield* PostgresMailStore.make({ pool })
      const client = yield* Effect.promise(() => pool.connect())
      yield* query(client, "BEGIN")
      const joined = yield* join(store, client)
      yield* joined.store.commit([{ _tag: "PutSetting", name: "a", value: "x" }])
      yield* joined.end(true)
      let looks = 0
      const statusOf = client.getTransactionStatus.bind(client)
      client.getTransactionStatus = () => {
        looks++
        return statusOf()
      }
      yield* TestClock.adjust("1 second")
      const before = looks
      const ended = Effect.promise(
        () => new Promise<unknown>((resolve) => void client.once("end", () => resolve(true)))
      )
      const fiber = yield* Effect.forkChild(ended, { startImmediately: true })
      client.release(new Error("The product gives the client up."))
      yield* Fiber.join(fiber)
      const status = statusOf()
      looks = 0
      yield* TestClock.adjust("10 seconds")
      return { before, status, looks }
    })
    const found = await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(TestClock.layer())))
    expect(found.before).toBeGreaterThan(5)
    expect([found.status, found.looks]).toEqual(["T", 0])
  })

  it("listens for the end of the transaction before the product can end it", async () => {
    const server = await testServer()
    const pool = newPool(server.urlOf(await server.createDatabase()))
    const program = Effect.gen(function* () {
      const store = yield* PostgresMailStore.make({ pool })
      const client = yield* Effect.promise(() => pool.connect())
      const listeners = () => client.connection.listenerCount("commandComplete")
      yield* query(client, "BEGIN")
      const joined = yield* join(store, client)
      const before = listeners()
      yield* joined.end(true)
      const after = listeners()
      client.release(true)
      return after - before
    })
    expect(await Effect.runPromise(Effect.scoped(program))).toBe(1)
  })

  it.each([
    ["the driver knows the state of the transaction", false],
    ["the driver is older and does not know the state", true]
  ])("is announced at its end although the next transaction is open at once, when %s", async (_, isOlder) => {
    const server = await testServer()
    const pool = newPool(server.urlOf(await server.createDatabase()), true)
    const commits = Effect.promise(async () => {
      const { rows } = await pool.query<{ n: string }>(
        "SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS n FROM mailkeep.commits"
      )
      return Number(rows[0]!.n)
    })
    const program = Effect.gen(function* () {
      const store = yield* PostgresMailStore.make({ pool })
      const client = yield* Effect.promise(() => pool.connect())
      if (isOlder) Object.assign(client, { getTransactionStatus: undefined })
      yield* query(client, "BEGIN")
      for (const name of ["a", "b"]) {
        const joined = yield* join(store, client)
        yield* joined.store.commit([{ _tag: "PutSetting", name, value: "x" }])
        yield* joined.end(true)
      }
      yield* Effect.sleep("200 millis")
      const before = yield* commits
      yield* Effect.promise(() => Promise.all([client.query("COMMIT"), client.query("BEGIN")]))
      yield* Effect.sleep("200 millis")
      const after = yield* commits
      client.release(true)
      return [before, after]
    })
    // One number for both calls, and none before the end.
    expect(await Effect.runPromise(Effect.scoped(program))).toEqual([0, 1])
  })
})
