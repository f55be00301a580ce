/**
 * When the watch of a product's transaction ends.
 */
import { hasPostgres, sharedPostgres } from "@mailkeep/test-support/postgres"
import { PassThrough } from "node:stream"
import { Client, Pool } from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import { makeEndWatch } from "../src/transactionEnd.ts"

/** A client of `pg`, as far as the watch reads it. `status` is the status of its transaction. */
const makeClient = (stream?: PassThrough) => {
  const client = {
    status: "T",
    polls: 0,
    connection: stream === undefined ? {} : { stream },
    getTransactionStatus: () => {
      client.polls++
      return client.status
    }
  }
  return client
}

/** Watches the connection. Returns a function that counts the ends. */
const watch = (connection: unknown, signal = new AbortController().signal) => {
  let ends = 0
  makeEndWatch(() => void ends++, signal)(connection)
  return () => ends
}

/** Waits until another client has been looked at as often as that takes some time. */
const whileOthersAreWatched = async () => {
  const [other, closed] = [makeClient(), new AbortController()]
  watch(other, closed.signal)
  await expect.poll(() => other.polls).toBeGreaterThan(8)
  closed.abort()
}

/** A client that sends its statements without waiting for the one before. */
const openClient = async () => {
  const server = await sharedPostgres()
  const client = new Client({ connectionString: server.urlOf("postgres"), pipeline: true })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

describe("makeEndWatch", () => {
  it.each<readonly [string, (stream: PassThrough) => unknown]>([
    ["is destroyed", (stream) => stream.destroy()],
    ["is ended", (stream) => stream.end()]
  ])("ends when the socket of a client %s within its transaction", async (_, end) => {
    const stream = new PassThrough()
    const client = makeClient(stream)
    const ends = watch(client)
    await expect.poll(() => client.polls).toBeGreaterThan(2)
    expect(ends()).toBe(0)
    end(stream)
    await expect.poll(ends).toBe(1)
    const { polls } = client
    await whileOthersAreWatched()
    expect(client.polls).toBe(polls)
    expect(ends()).toBe(1)
  })

  it.each([
    ["with an open socket", makeClient(new PassThrough())],
    ["without a socket", makeClient()]
  ])("waits for the end of the transaction of a client %s", async (_, client) => {
    const ends = watch(client)
    await whileOthersAreWatched()
    expect(ends()).toBe(0)
    client.status = "I"
    await expect.poll(ends).toBe(1)
  })

  it("looks at no client any more after the close of the mail", async () => {
    const [client, closed] = [makeClient(), new AbortController()]
    const ends = watch(client, closed.signal)
    await expect.poll(() => client.polls).toBeGreaterThan(2)
    closed.abort()
    const { polls } = client
    await whileOthersAreWatched()
    expect([client.polls, ends()]).toEqual([polls, 0])
  })

  it.skipIf(!hasPostgres())("ends when a client of pg is released with an error within its transaction", async () => {
    const server = await sharedPostgres()
    const pool = new Pool({ connectionString: server.urlOf(await server.createDatabase()), max: 1 })
    const client = await pool.connect()
    await client.query("BEGIN")
    const ends = watch(client)
    client.release(new Error("the product gave up"))
    await expect.poll(ends).toBe(1)
    await pool.end()
  })

  it.skipIf(!hasPostgres()).each([
    ["commits and begins the next one at once", ["COMMIT", "BEGIN"]],
    ["rolls back and begins the next one at once", ["ROLLBACK", "BEGIN"]],
    ["commits and continues in the next one", ["COMMIT AND CHAIN"]]
  ])("ends when a client of pg %s", async (_, statements) => {
    const client = await openClient()
    await client.query("BEGIN")
    const ends = watch(client)
    await whileOthersAreWatched()
    expect(ends()).toBe(0)
    await Promise.all(statements.map((statement) => client.query(statement)))
    expect(client.getTransactionStatus()).toBe("T")
    await expect.poll(ends).toBe(1)
    await client.query("ROLLBACK")
    await whileOthersAreWatched()
    expect(ends()).toBe(1)
  })

  it.skipIf(!hasPostgres())("waits for the end when a client is of an older pg, which has no status", async () => {
    const client = await openClient()
    Object.assign(client, { getTransactionStatus: undefined })
    await client.query("BEGIN")
    const ends = watch(client)
    await client.query("SAVEPOINT product")
    await client.query("ROLLBACK TO SAVEPOINT product")
    await whileOthersAreWatched()
    expect(ends()).toBe(0)
    await client.query("COMMIT")
    await expect.poll(ends).toBe(1)
  })
})
