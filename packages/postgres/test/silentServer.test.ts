/**
 * A server that disappears without a word: its connections stay open, and nothing arrives any more.
 */
import { once } from "node:events"
import type { AddressInfo, Socket } from "node:net"
import { connect, createServer } from "node:net"
import { setTimeout } from "node:timers"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect } from "effect"
import pg from "pg"
import { describe, expect, it } from "vitest"
import type { Connection } from "../src/internal/database.ts"
import { makeDatabase, settleAll } from "../src/internal/database.ts"
import { attemptRead } from "../src/internal/runStatements.ts"
import { noSilenceLimit } from "../src/internal/silentServer.ts"
import { isConnectionLost } from "../src/internal/sqlStates.ts"
import { testServer } from "./testServer.ts"

/** Far below the limit of the store, so that the tests need not wait. */
const silentMillisMax = 200

/** Forwards between the driver and the server. `silence` stops that for the connections that are open now, and `slowBytes` limits the bytes of each 20 ms. */
const startForwarding = async (port: number, slowBytes?: number) => {
  const sockets = new Set<Socket>()
  const silent = new WeakSet<Socket>()
  const forward = (from: Socket, to: Socket): void => {
    from.on("error", () => {})
    from.once("close", () => to.destroy())
    from.on("data", (bytes: Buffer) => {
      if (silent.has(from)) return
      if (slowBytes === undefined) return void to.write(bytes)
      from.pause()
      const [now, later] = [bytes.subarray(0, slowBytes), bytes.subarray(slowBytes)]
      to.write(now)
      if (later.length > 0) from.unshift(later)
      setTimeout(() => from.resume(), 20)
    })
  }
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1")
    for (const socket of [client, upstream]) sockets.add(socket)
    forward(client, upstream)
    forward(upstream, client)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    silence: () => {
      for (const socket of sockets) silent.add(socket)
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    }
  }
}

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
      await using forwarding = await startForwarding((await testServer()).port)
      const pool = await poolAt(forwarding.port, pipeline)
      const database = makeDatabase(pool, silentMillisMax)
      expect(await database.use(one)).toEqual([{ one: 1 }])
      forwarding.silence()
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

  it("is not asked again by a read that has waited for it", async () => {
    await using forwarding = await startForwarding((await testServer()).port)
    const pool = await poolAt(forwarding.port, true)
    const database = makeDatabase(pool, silentMillisMax)
    await database.use(one)
    forwarding.silence()
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
    await using forwarding = await startForwarding((await testServer()).port, 10_000)
    const pool = await poolAt(forwarding.port, true)
    const database = makeDatabase(pool, silentMillisMax)
    // 600 kB take 1.2 s: many times the limit.
    const [row] = await database.use((connection) =>
      connection.query<{ readonly text: string }>("SELECT repeat('a', 600000) AS text")
    )
    expect(row!.text.length).toBe(600_000)
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
