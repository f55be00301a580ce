/**
 * When the wait for the end of a client's transaction ends.
 */
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { Readable } from "node:stream"
import { PassThrough } from "node:stream"
import { Client, Pool } from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import { untilTransactionEnd } from "../src/internal/transactionEnd.ts"
import { testServer } from "./testServer.ts"

/** A client of `pg`, as far as the wait reads it. `status` is the status of its transaction. */
const makeClient = (stream?: PassThrough) => {
  const client = {
    status: "T",
    looks: 0,
    query: (() => {}) as never,
    connection: stream === undefined ? {} : { stream: stream as never },
    getTransactionStatus: () => {
      client.looks++
      return client.status
    }
  }
  return client
}

/** Waits while `change` happens, by a clock of the test. Says how often the client was looked at and whether the wait has ended, before and after. */
const looksAround = (client: ReturnType<typeof makeClient>, change: () => unknown) =>
  Effect.gen(function* () {
    const waiting = yield* Effect.forkChild(untilTransactionEnd(client))
    const afterSecond = Effect.map(TestClock.adjust("1 second"), () => ({
      looks: client.looks,
      hasEnded: waiting.pollUnsafe() !== undefined
    }))
    const before = yield* afterSecond
    yield* Effect.promise(async () => change())
    const after = yield* afterSecond
    return [before, after, yield* afterSecond] as const
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)

/** Waits for the end with a client of a server, while the statements run. Says whether the wait has ended before them and after them. */
const endsAround = (client: Client, statements: () => Promise<unknown>) =>
  Effect.gen(function* () {
    const waiting = yield* Effect.forkChild(untilTransactionEnd(client), { startImmediately: true })
    yield* Effect.promise(() => client.query("SELECT 1"))
    const before = waiting.pollUnsafe() !== undefined
    yield* Effect.promise(statements)
    // Only the messages of the server can end it: the clock of the test does not move.
    yield* Fiber.join(waiting)
    return before
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

/** A client in a transaction, which sends its statements without waiting for the one before. */
const openClient = async () => {
  const server = await testServer()
  const client = new Client({ connectionString: server.urlOf("postgres"), pipeline: true })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query("BEGIN")
  return client
}

describe("untilTransactionEnd", () => {
  it.each<readonly [string, (stream: Readable & PassThrough) => unknown]>([
    ["is destroyed", (stream) => stream.destroy()],
    ["is ended", (stream) => stream.end()]
  ])("ends when the socket of a client %s within its transaction, and looks at it no more", async (_, end) => {
    const stream = new PassThrough()
    const [before, after, later] = await looksAround(makeClient(stream), () => end(stream))
    expect(before.looks).toBeGreaterThan(5)
    expect([before.hasEnded, after.hasEnded]).toEqual([false, true])
    expect(later.looks).toBe(before.looks)
  })

  it.each([
    ["with an open socket", makeClient(new PassThrough())],
    ["without a socket", makeClient()]
  ])("waits for the end of the transaction of a client %s", async (_, client) => {
    const [before, after] = await looksAround(client, () => (client.status = "I"))
    expect([before.hasEnded, after.hasEnded]).toEqual([false, true])
  })

  it("looks at the client no more, and listens no more, after its interruption", async () => {
    const client = await Promise.resolve(makeClient())
    const looks = await Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(untilTransactionEnd(client))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(waiting)
      const before = client.looks
      yield* TestClock.adjust("1 second")
      return [before > 5, client.looks - before]
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
    expect(looks).toEqual([true, 0])
  })

  it.skipIf(!hasPostgres())("ends when a client of pg is released with an error within its transaction", async () => {
    const server = await testServer()
    const pool = new Pool({ connectionString: server.urlOf("postgres"), max: 1 })
    onTestFinished(() => pool.end())
    const client = await pool.connect()
    await client.query("BEGIN")
    const ended = Effect.runPromise(untilTransactionEnd(client))
    client.release(new Error("the product gave up"))
    await ended
    expect(client.getTransactionStatus()).toBe("T")
  })

  it.skipIf(!hasPostgres()).each([
    ["commits and begins the next one at once", ["COMMIT", "BEGIN"]],
    ["rolls back and begins the next one at once", ["ROLLBACK", "BEGIN"]],
    ["commits and continues in the next one", ["COMMIT AND CHAIN"]]
  ])("ends when a client of pg %s", async (_, statements) => {
    const client = await openClient()
    const listeners = () => client.connection.listenerCount("readyForQuery")
    const listenersBefore = listeners()
    const hadEnded = await endsAround(client, () => Promise.all(statements.map((one) => client.query(one))))
    expect([hadEnded, client.getTransactionStatus(), listeners()]).toEqual([false, "T", listenersBefore])
  })

  it.skipIf(!hasPostgres())("waits for the end when a client is of an older pg, which has no status", async () => {
    const client = await openClient()
    Object.assign(client, { getTransactionStatus: undefined })
    await client.query("SAVEPOINT product")
    const hadEnded = await endsAround(client, async () => {
      await client.query("ROLLBACK TO SAVEPOINT product")
      await client.query("COMMIT")
    })
    expect(hadEnded).toBe(false)
  })
})
