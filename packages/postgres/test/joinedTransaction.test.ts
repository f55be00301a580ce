/**
 * Calls in a transaction of the product that end early: interrupted, refused, or together with the transaction.
 */
import type { Change } from "@mailkeep/core/adapter"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { createGuideRoles, guideRolesOf } from "@mailkeep/test-support/postgresGuide"
import { Effect, Fiber } from "effect"
import type { PoolClient } from "pg"
import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { testServer } from "./testServer.ts"
import { join, newPool, query } from "./productClient.ts"

const migrate = (connectionString: string) => Effect.runPromise(PostgresMailStore.migrate({ connectionString }))

/** A commit that takes several statements one after the other, because a content is sent only where it is missing. */
const withContent = (n: number): ReadonlyArray<Change> => [
  { _tag: "PutSetting", name: `setting-${n}`, value: "x" },
  {
    _tag: "PutContent",
    projectId: "prj_1" as never,
    hash: `hash-${n}`,
    chunks: [new Uint8Array(200_000), new Uint8Array(200_000)]
  } as Change
]

/** A commit of three kinds of records, which takes a statement for each, and the queries for them. */
const ofThreeKinds = (n: number): ReadonlyArray<Change> => [
  { _tag: "AddToCounter", projectId: "prj_1", name: `list:lst_${n}`, by: 1, max: null },
  { _tag: "PutSetting", name: `kept-${n}`, value: "x" },
  {
    _tag: "RecordIdempotency",
    record: {
      projectId: "prj_1",
      key: `kept-${n}`,
      fingerprint: "a".repeat(64),
      result: { messageId: "msg_1", deliveryIds: ["del_1"], totalQueued: 1, scheduledAt: null },
      expiresAt: 2000
    },
    now: 1000
  }
]
const recordsOf = (n: number) =>
  [
    { _tag: "Counters", projectId: "prj_1", names: [`list:lst_${n}`] },
    { _tag: "Setting", name: `kept-${n}` },
    { _tag: "Idempotency", projectId: "prj_1", key: `kept-${n}` }
  ] as const

/** Sends `COMMIT` behind the query with this number, as a product does that has forgotten to wait. Returns whether it was sent. */
const commitBehind = (client: PoolClient, position: number): (() => boolean) => {
  const send = client.query.bind(client) as (...args: ReadonlyArray<unknown>) => unknown
  let count = 0
  client.query = ((...args: ReadonlyArray<unknown>) => {
    const answer = send(...args)
    if (++count === position) (send("COMMIT") as Promise<unknown>).catch(() => {})
    return answer
  }) as PoolClient["query"]
  return () => count >= position
}

describe.skipIf(!hasPostgres())("a call in a transaction of the product", () => {
  it.each([true, false])(
    "leaves the transaction of the product as it was when it is interrupted, with pipeline %s",
    async (pipeline) => {
      const server = await testServer()
      const pool = newPool(server.urlOf(await server.createDatabase()), pipeline)
      const endings = await Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const store = yield* PostgresMailStore.make({ pool })
            const client = yield* Effect.promise(() => pool.connect())
            yield* query(client, "CREATE TABLE orders (n integer)")
            const found: Array<string> = []
            for (let n = 0; n < 20; n++) {
              yield* query(client, "BEGIN")
              yield* query(client, `INSERT INTO orders VALUES (${n})`)
              const joined = yield* join(store, client)
              const call = yield* Effect.forkChild(joined.store.commit(withContent(n)), { startImmediately: true })
              // Each time a little later.
              for (let turn = 0; turn < n; turn++)
                yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
              yield* Fiber.interrupt(call)
              yield* joined.end(false)
              found.push((yield* query(client, "COMMIT")).command)
            }
            const { rows } = yield* query(
              client,
              "SELECT (SELECT count(*)::int FROM orders) AS orders, (SELECT count(*)::int FROM mailkeep.contents) AS contents"
            )
            client.release()
            return [new Set(found), rows]
          })
        )
      )
      expect(endings).toEqual([new Set(["COMMIT"]), [{ orders: 20, contents: 0 }]])
    }
  )

  it.each(["COMMIT", "ROLLBACK", "ROLLBACK TO own", "SELECT 1 / 0"])(
    "says what to wait for when %s comes in the middle of a call",
    async (statement) => {
      const server = await testServer()
      const pool = newPool(server.urlOf(await server.createDatabase()), true)
      const failure = await Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const store = yield* PostgresMailStore.make({ pool })
            const client = yield* Effect.promise(() => pool.connect())
            yield* Effect.addFinalizer(() => Effect.sync(() => client.release(true)))
            yield* query(client, "BEGIN; SAVEPOINT own")
            const joined = yield* join(store, client)
            yield* Effect.promise(() => client.query(statement).catch(() => undefined))
            const commit = joined.store.commit([{ _tag: "PutSetting", name: "a", value: "x" }])
            return yield* Effect.flip(Effect.andThen(commit, joined.end(false)))
          })
        )
      )
      expect(failure).toMatchObject({
        reason: "unreachable",
        message: expect.stringContaining("Wait for the promise of each call")
      })
    }
  )

  it.each([
    ["ROLLBACK", true],
    ["ROLLBACK", false],
    ["COMMIT", true],
    ["COMMIT", false]
  ])(
    "sends nothing into the next transaction of the client when %s comes in the middle of a call, with pipeline %s",
    async (statement, pipeline) => {
      const server = await testServer()
      const pool = newPool(server.urlOf(await server.createDatabase()), pipeline)
      const found = await Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const store = yield* PostgresMailStore.make({ pool })
            const client = yield* Effect.promise(() => pool.connect())
            yield* Effect.addFinalizer(() => Effect.sync(() => client.release(true)))
            yield* query(client, "BEGIN")
            const joined = yield* join(store, client)
            const waiting = yield* Effect.forkChild(Effect.flip(join(store, client)), { startImmediately: true })
            yield* query(client, statement)
            yield* query(client, "BEGIN")
            const commit = joined.store.commit([{ _tag: "PutSetting", name: "a", value: "x" }])
            const failure = yield* Effect.flip(Effect.andThen(commit, joined.end(true)))
            yield* Effect.flip(joined.end(false))
            const { reason } = yield* Fiber.join(waiting)
            const { command } = yield* query(client, "COMMIT")
            const [setting] = yield* store.read([{ _tag: "Setting", name: "a" }])
            return { reason: failure.reason, message: failure.message, waiting: reason, command, setting }
          })
        )
      )
      expect(found).toEqual({
        reason: "unreachable",
        message: expect.stringContaining("Wait for the promise of each call"),
        waiting: "no_transaction",
        command: "COMMIT",
        setting: null
      })
    }
  )

  it("keeps the whole of a commit or nothing when COMMIT comes in the middle of it", async () => {
    const server = await testServer()
    const database = await server.createDatabase()
    const pool = newPool(server.urlOf(database))
    const kept = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* PostgresMailStore.make({ connectionString: server.urlOf(database) })
          return yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8, 9], (position) =>
            Effect.gen(function* () {
              const client = yield* Effect.promise(() => pool.connect())
              yield* query(client, "BEGIN")
              const joined = yield* join(store, client)
              const commitSent = commitBehind(client, position)
              yield* Effect.ignore(Effect.andThen(joined.store.commit(ofThreeKinds(position)), joined.end(true)))
              if (!commitSent()) yield* query(client, "COMMIT")
              client.release(true)
              const [[counter], setting, idempotency] = yield* store.read(recordsOf(position))
              return [counter, setting, idempotency].filter((one) => one !== null && one !== 0).length
            })
          )
        })
      )
    )
    expect(kept.filter((records) => records !== 0 && records !== 3)).toEqual([])
    expect(kept).toContain(3)
  })

  it("is refused for a role without rights, and so are the next ones", async () => {
    const server = await testServer()
    const database = await server.createDatabase()
    await createGuideRoles({ server, database, migrate })
    const role = `${guideRolesOf(database).app}_other`
    await server.run(database, `CREATE ROLE ${role} LOGIN`)
    const clients = newPool(server.urlOf(database, role))
    const reasons = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* PostgresMailStore.make({
            connectionString: server.urlOf(database)
          })
          const client = yield* Effect.promise(() => clients.connect())
          const found: Array<string> = []
          for (let call = 0; call < 2; call++) {
            yield* query(client, "BEGIN")
            const refused = yield* Effect.flip(join(store, client))
            found.push(`${refused._tag} ${refused.reason}`)
            yield* query(client, "ROLLBACK")
          }
          client.release()
          return found
        })
      )
    )
    expect(reasons).toEqual(["TransactionRefused not_supported", "TransactionRefused not_supported"])
  })

  it("is refused for a client with binary values", async () => {
    const server = await testServer()
    const connectionString = server.urlOf(await server.createDatabase())
    const binary = new pg.Pool({ connectionString, binary: true } as pg.PoolConfig)
    onTestFinished(() => binary.end())
    const refused = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* PostgresMailStore.make({ connectionString })
          const client = yield* Effect.promise(() => binary.connect())
          yield* query(client, "BEGIN")
          const failure = yield* Effect.flip(join(store, client))
          yield* query(client, "ROLLBACK")
          client.release()
          return failure
        })
      )
    )
    expect(refused).toMatchObject({ reason: "not_a_connection", message: expect.stringContaining("binary") })
  })
})
