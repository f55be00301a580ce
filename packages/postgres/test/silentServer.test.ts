/**
 * A server that disappears without a word: its connections stay open, and nothing arrives any more.
 */
import { once } from "node:events"
import type { AddressInfo, Socket } from "node:net"
import { createServer } from "node:net"
import { eventLoopTurns } from "@mailkeep/test-support/eventLoop"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { startProxy } from "@mailkeep/test-support/postgresProxy"
import { Effect, Exit, Fiber, Latch, Scope } from "effect"
import { TestClock } from "effect/testing"
import pg from "pg"
import { describe, expect, it } from "vitest"
import type { Connection } from "../src/internal/database.ts"
import { makeDatabase, settleAll } from "../src/internal/database.ts"
import { makeNotifications } from "../src/internal/notifications.ts"
import { makeOwnPool } from "../src/internal/ownPool.ts"
import { attemptRead } from "../src/internal/runStatements.ts"
import { noSilenceLimit } from "../src/internal/silentServer.ts"
import { isConnectionLost } from "../src/internal/sqlStates.ts"
import { testServer } from "./testServer.ts"

/** Far below the limit of the store, so that the tests need not wait. */
const silentMillisMax = 200

const poolAt = async (port: number, pipeline: boolean) => {
  const server = await testServer()
  const url = server.urlOf(await server.createDatabase()).replace(`:${server.port}/`, `:${port}/`)
  return new pg.Pool({ connectionString: url, max: 1, pipeline })
}

const one = (connection: Connection) => connection.query("SELECT 1 AS one")

describe.skipIf(!hasPostgres())("a silent server", () => {
  it.each([true, false])(
    "fails all statements that wait, and the next use takes another connection, with pipeline %s",
    async (pipeline) => {
      await using proxy = await startProxy((await testServer()).port)
      const pool = await poolAt(proxy.port, pipeline)
      const database = makeDatabase(pool, silentMillisMax)
      expect(await database.use(one)).toEqual([{ one: 1 }])
      proxy.silenceAll()
      const failures = await database.use(async (connection) =>
        (await Promise.allSettled([one(connection), one(connection)])).map(
          (result) => result.status === "rejected" && isConnectionLost(result.reason)
        )
      )
      expect(failures).toEqual([true, true])
      expect(await database.use(one)).toEqual([{ one: 1 }])
      expect(pool.totalCount).toBe(1)
      await pool.end()
    }
  )

  it("fails a read that has waited for a silent server, and does not repeat it", async () => {
    await using proxy = await startProxy((await testServer()).port)
    const pool = await poolAt(proxy.port, true)
    const database = makeDatabase(pool, silentMillisMax)
    await database.use(one)
    proxy.silenceAll()
    let reads = 0
    const read = attemptRead(() => {
      reads++
      return database.use(one)
    })
    const failure = await Effect.runPromise(Effect.flip(read))
    expect([failure.reason, String(failure.cause), reads]).toEqual([
      "unreachable",
      "PostgresError: PostgreSQL failed with ETIMEDOUT.",
      1
    ])
    expect(await Effect.runPromise(read)).toEqual([{ one: 1 }])
    await pool.end()
  })

  it("is one that sends nothing: a slow answer arrives", async () => {
    const pool = await poolAt((await testServer()).port, true)
    const database = makeDatabase(pool, silentMillisMax)
    // The server sends about a row each 100 ms, for many times the limit.
    const rows = await database.use((connection) =>
      connection.query("SELECT repeat('a', 10000) AS text, pg_sleep(0.1) FROM generate_series(1, 10)")
    )
    expect(rows.length).toBe(10)
    await pool.end()
  })

  it("is none when the process has not read its answer, because the process did not run", async () => {
    const pool = await poolAt((await testServer()).port, true)
    const database = makeDatabase(pool, silentMillisMax)
    await database.use(one)
    const rows = await database.use(async (connection) => {
      const answer = one(connection)
      await new Promise((resolve) => setImmediate(resolve))
      // Longer than the limit. The answer arrives meanwhile.
      for (const until = performance.now() + 2 * silentMillisMax; performance.now() < until;);
      return answer
    })
    expect(rows).toEqual([{ one: 1 }])
    await pool.end()
  })

  it("is waited for in a migration", async () => {
    const pool = await poolAt((await testServer()).port, true)
    const sleep = (connection: Connection) => settleAll([connection.query("SELECT pg_sleep(1)"), one(connection)])
    await expect(makeDatabase(pool, silentMillisMax).use(sleep)).rejects.toThrow("has not answered")
    expect(await makeDatabase(pool, noSilenceLimit).use(sleep)).toHaveLength(2)
    await pool.end()
  })
})

/** Starts a server that takes connections and never answers. */
const startMute = async () => {
  const sockets: Array<Socket> = []
  const server = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    connected: once(server, "connection"),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    }
  }
}

describe("a server that does not answer to a new connection", () => {
  it("is connected to once by a read", async () => {
    await using server = await startMute()
    const pool = new pg.Pool({ host: "127.0.0.1", port: server.port, connectionTimeoutMillis: silentMillisMax })
    const failure = await Effect.runPromise(Effect.flip(attemptRead(() => makeDatabase(pool).use(one))))
    expect([failure.reason, server.sockets.length]).toEqual(["unreachable", 1])
    await pool.end()
  })

  it("does not delay a close by the 5 s that the driver waits for the connection of notifications", async () => {
    await using server = await startMute()
    const scope = Effect.runSync(Scope.make())
    const made = makeNotifications({ host: "127.0.0.1", port: server.port }, '"mailkeep"', Latch.makeUnsafe())
    await Effect.runPromise(Effect.provideService(made, Scope.Scope, scope))
    await server.connected
    const startedMillis = performance.now()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    expect(performance.now() - startedMillis).toBeLessThan(4000)
  })

  it("keeps no connection of a pool of the store that has ended for 1 s", async () => {
    await using server = await startMute()
    const { pool, end } = makeOwnPool(`postgres://app@127.0.0.1:${server.port}/shop`, 1)
    let hasFailed = false
    void pool.connect().catch(() => {
      hasFailed = true
    })
    await server.connected
    const program = Effect.gen(function* () {
      const ending = yield* Effect.forkChild(end, { startImmediately: true })
      yield* eventLoopTurns()
      expect(hasFailed).toBe(false)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(ending)
      yield* eventLoopTurns()
      expect(hasFailed).toBe(true)
    })
    await Effect.runPromise(Effect.provide(program, TestClock.layer()))
  })
})
