/**
 * What an operator reads when the server cannot be reached, and how the store makes more connections like those of a pool.
 */
import { createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"
import { once } from "node:events"
import { StoreNotOpened } from "@mailkeep/core/adapter"
import { eventLoopTurns } from "@mailkeep/test-support/eventLoop"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { startProxy } from "@mailkeep/test-support/postgresProxy"
import { Effect, Exit, Fiber, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import type { ProductClient } from "../src/internal/driverClient.ts"
import { clientConfigOf } from "../src/internal/openPool.ts"
import { makeOwnPool } from "../src/internal/ownPool.ts"
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
  it.each([
    ["answers nothing", () => {}, "did not answer in time. Check the host and the port, and whether a firewall drops"],
    ["closes the connection", (socket: Socket) => socket.end(), "connection was closed before the server answered"]
  ] as const)("says what to check when the address %s", async (_, onConnection, sentence) => {
    const sockets: Array<Socket> = []
    const server = createServer((socket) => {
      sockets.push(socket)
      onConnection(socket)
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    // Far below the limit of the store, so that the test need not wait.
    const pool = new pg.Pool({ host: "127.0.0.1", port, connectionTimeoutMillis: 200 })
    const failure = await Effect.runPromise(Effect.scoped(Effect.flip(PostgresMailStore.make({ pool }))))
    expect([failure.reason, failure.message]).toEqual(["unreachable", expect.stringContaining(sentence)])
    await pool.end()
    for (const socket of sockets) socket.destroy()
    server.close()
  })

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

describe.skipIf(!hasPostgres())("make with a server", () => {
  it("says that the server offers no TLS", async () => {
    const server = await testServer()
    const refused = await refusal(`${server.urlOf("postgres")}?sslmode=verify-full`)
    expect([refused.reason, refused.isRetryable]).toEqual(["unreachable", true])
    expect(refused.message).toMatch(
      /^The server offers no TLS\. Turn on `ssl` at the server, or remove `sslmode` from the URL: schema "mailkeep" of database postgres/
    )
  })

  it("says that the pool was ended", async () => {
    const pool = new pg.Pool({ connectionString: (await testServer()).urlOf("postgres") })
    await pool.end()
    const refused = await Effect.runPromise(Effect.scoped(Effect.flip(PostgresMailStore.make({ pool }))))
    expect(refused.message).toMatch(/^The pool was ended before the store was opened: /)
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

const setting = (name: string) => [{ _tag: "PutSetting", name, value: "x" } as const]

describe.skipIf(!hasPostgres())("a store that was open", () => {
  it("reports a refused login as unreachable, and works when the login is accepted again", async () => {
    const server = await testServer()
    const database = await server.createDatabase()
    const role = `login_${database}`
    await server.run("postgres", `CREATE ROLE ${role} LOGIN SUPERUSER`)
    const refuse = (login: string) =>
      server.run(
        "postgres",
        `ALTER ROLE ${role} ${login}`,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`
      )
    const program = Effect.gen(function* () {
      const store = yield* PostgresMailStore.make({ connectionString: server.urlOf(database, role) })
      yield* store.commit(setting("before"))
      yield* Effect.promise(() => refuse("NOLOGIN"))
      const failures = [
        yield* Effect.flip(store.commit(setting("refused"))),
        yield* Effect.flip(store.commit(setting("refused"))),
        yield* Effect.flip(store.read([{ _tag: "Setting", name: "before" }]))
      ]
      yield* Effect.promise(() => refuse("LOGIN"))
      yield* Effect.retry(store.commit(setting("after")), { times: 3 })
      return failures.map((failure) => failure._tag === "StoreUnavailable" && failure.reason)
    })
    expect(await Effect.runPromise(Effect.scoped(program))).toEqual(["unreachable", "unreachable", "unreachable"])
  })

  it("fails a commit that waits for a connection of a pool that was ended, and closes", async () => {
    const server = await testServer()
    const pool = new pg.Pool({ connectionString: server.urlOf(await server.createDatabase()), max: 1 })
    const program = Effect.gen(function* () {
      const store = yield* PostgresMailStore.make({ pool })
      const client = yield* Effect.promise(() => pool.connect())
      const commit = yield* Effect.forkChild(Effect.flip(store.commit(setting("a"))), { startImmediately: true })
      yield* Effect.promise(() => expect.poll(() => pool.waitingCount).toBe(1))
      const ended = pool.end()
      client.release()
      const failure = yield* Fiber.join(commit)
      yield* Effect.promise(() => ended)
      return failure
    })
    expect(await Effect.runPromise(Effect.scoped(program))).toMatchObject({ reason: "closed" })
  })

  it("says that the pool has no free connection", async () => {
    const server = await testServer()
    const connectionString = server.urlOf(await server.createDatabase())
    const pool = new pg.Pool({ connectionString, max: 1, connectionTimeoutMillis: 200 })
    const work = Effect.gen(function* () {
      const store = yield* PostgresMailStore.make({ pool })
      const client = yield* Effect.promise(() => pool.connect())
      const failure = yield* Effect.flip(store.commit(setting("a")))
      client.release()
      return failure
    })
    const failure = await Effect.runPromise(Effect.scoped(work))
    await pool.end()
    expect(failure).toMatchObject({
      reason: "overloaded",
      message:
        "No connection of the pool became free in time. If the server answers, give the pool more connections, or release its clients sooner.",
      cause: { message: "The pool has no free connection." }
    })
  })

  it("names the limits of the role and of the database when the server refuses a connection above one of them", async () => {
    const server = await testServer()
    const database = await server.createDatabase()
    const role = `limited_${database}`
    await server.run("postgres", `CREATE ROLE ${role} LOGIN SUPERUSER`)
    const connectionString = server.urlOf(database, role)
    const limit = () =>
      server.run(
        "postgres",
        // No limit holds for a superuser.
        `ALTER ROLE ${role} NOSUPERUSER CONNECTION LIMIT 0`,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`
      )
    const work = Effect.gen(function* () {
      const store = yield* PostgresMailStore.make({ connectionString })
      yield* store.commit(setting("before"))
      yield* Effect.promise(limit)
      // The first commit can meet the end of its connection.
      yield* Effect.flip(store.commit(setting("a")))
      return yield* Effect.flip(store.commit(setting("b")))
    })
    const sentence = "`max_connections`, the CONNECTION LIMIT of the role and that of the database"
    const overloaded = await Effect.runPromise(Effect.scoped(work))
    expect(overloaded).toMatchObject({ reason: "overloaded", message: expect.stringContaining(sentence) })
    const notOpened = await refusal(connectionString)
    expect(notOpened).toMatchObject({ reason: "unreachable", message: expect.stringContaining(sentence) })
  })

  it("says that the tables are missing when they were dropped, and works after a migration", async () => {
    const server = await testServer()
    const database = await server.createDatabase()
    const connectionString = server.urlOf(database)
    const work = Effect.gen(function* () {
      const store = yield* PostgresMailStore.make({ connectionString })
      yield* store.commit(setting("before"))
      yield* Effect.promise(() => server.run(database, "DROP SCHEMA mailkeep CASCADE"))
      const failures = [
        yield* Effect.flip(store.commit(setting("after"))),
        yield* Effect.flip(store.read([{ _tag: "Setting", name: "after" }]))
      ]
      yield* PostgresMailStore.migrate({ connectionString })
      yield* store.commit(setting("after"))
      return failures
    })
    const expected = { reason: "unreachable", message: expect.stringContaining("The tables of the store are missing") }
    expect(await Effect.runPromise(Effect.scoped(work))).toEqual([
      expect.objectContaining(expected),
      expect.objectContaining(expected)
    ])
  })

  it("closes while the server is silent, also when it listens", async () => {
    const server = await testServer()
    const database = await server.createDatabase()
    await using proxy = await startProxy(server.port)
    const connectionString = server.urlOf(database).replace(`:${server.port}/`, `:${proxy.port}/`)
    const scope = Effect.runSync(Scope.make())
    const store = await Effect.runPromise(
      Effect.provideService(PostgresMailStore.make({ connectionString, listen: true }), Scope.Scope, scope)
    )
    await Effect.runPromise(store.commit(setting("a")))
    const listeners = new pg.Pool({ connectionString: server.urlOf(database) })
    const listening = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
    await expect.poll(async () => (await listeners.query(listening)).rows.length).toBe(1)
    await listeners.end()
    proxy.silenceAll()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    expect(Exit.isFailure(await Effect.runPromiseExit(store.read([])))).toBe(true)
  })

  it("closes its connections without the server when the server is silent for 1 s", async () => {
    const server = await testServer()
    const database = await server.createDatabase()
    await using proxy = await startProxy(server.port)
    const url = server.urlOf(database).replace(`:${server.port}/`, `:${proxy.port}/`)
    const { pool, end } = makeOwnPool(url, 2)
    const clients = [await pool.connect(), await pool.connect()]
    const streams = clients.map((client) => (client as ProductClient).connection!.stream as Socket)
    clients[0]!.release()
    clients[1]!.on("error", () => {})
    proxy.silenceAll()
    const program = Effect.gen(function* () {
      const ending = yield* Effect.forkChild(end, { startImmediately: true })
      yield* eventLoopTurns(10)
      expect(streams.map(({ destroyed }) => destroyed)).toEqual([false, false])
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(ending)
      expect(streams.map(({ destroyed }) => destroyed)).toEqual([true, true])
    })
    await Effect.runPromise(Effect.provide(program, TestClock.layer()))
  })

  it("closes its connections before its end when the server answers", async () => {
    const server = await testServer()
    const { pool, end } = makeOwnPool(server.urlOf(await server.createDatabase()), 2)
    const clients = [await pool.connect(), await pool.connect()]
    const streams = clients.map((client) => (client as ProductClient).connection!.stream as Socket)
    for (const client of clients) client.release()
    // The clock stays, so only the server ends the connections.
    await Effect.runPromise(Effect.provide(end, TestClock.layer()))
    expect(streams.map(({ destroyed }) => destroyed)).toEqual([true, true])
  })

  it("works with an older driver, which does not know the state of a transaction", async () => {
    const server = await testServer()
    class OlderClient extends pg.Client {
      override getTransactionStatus = undefined as never
    }
    const connectionString = server.urlOf(await server.createDatabase())
    const pool = new pg.Pool({ connectionString, max: 1, Client: OlderClient })
    const program = Effect.gen(function* () {
      const store = yield* PostgresMailStore.make({ pool })
      yield* store.commit(setting("a"))
      const conflict = yield* Effect.flip(store.commit(setting("a")))
      return [conflict._tag, yield* store.read([{ _tag: "Setting", name: "a" }])]
    })
    expect(await Effect.runPromise(Effect.scoped(program))).toEqual(["Conflict", ["x"]])
    expect([pool.totalCount, pool.idleCount]).toEqual([1, 1])
    await pool.end()
  })
})

describe("clientConfigOf", () => {
  it("keeps the password, which the pool hides", () => {
    const pool = new pg.Pool({ host: "db.example", user: "app", password: "geheim" })
    expect(clientConfigOf(pool)).toMatchObject({ host: "db.example", user: "app", password: "geheim" })
    expect({ ...pool.options }).not.toHaveProperty("password")
  })
})
