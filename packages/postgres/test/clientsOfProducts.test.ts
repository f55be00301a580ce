/**
 * Clients that a product has changed or wrapped, in `joinTransaction`.
 */
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect } from "effect"
import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { newDatabase } from "./testServer.ts"

const database = newDatabase()

/** Runs `use` with the only client of a pool, in an open transaction that is committed afterwards. */
const inTransaction = async <A>(
  use: (store: MailStoreShape, client: pg.PoolClient) => Effect.Effect<A, unknown>
): Promise<A> => {
  const pool = new pg.Pool({ connectionString: await database(), max: 1 })
  onTestFinished(() => pool.end())
  const used = Effect.gen(function* () {
    const store = yield* PostgresMailStore.make({ pool })
    const client = yield* Effect.acquireRelease(
      Effect.promise(() => pool.connect()),
      (one) => Effect.sync(() => one.release())
    )
    yield* Effect.promise(() => client.query("BEGIN"))
    const result = yield* use(store, client)
    yield* Effect.promise(() => client.query("COMMIT"))
    return result
  })
  return Effect.runPromise(Effect.scoped(used))
}

interface Ending {
  callback?: (...args: ReadonlyArray<unknown>) => unknown
  readonly then?: Promise<unknown>["then"]
}

/**
 * Notes the end of each query as the programs of Datadog do: by the callback of the query in the queue of the driver, and otherwise as a promise. The driver
 * gives each query a callback.
 */
const noteQueries = (client: pg.PoolClient): { readonly begun: () => number; readonly ended: () => number } => {
  const queue = client as unknown as { readonly _queryQueue: ReadonlyArray<Ending>; readonly _activeQuery: Ending }
  const send = client.query.bind(client) as (...args: ReadonlyArray<unknown>) => unknown
  const [begun, ended] = [{ count: 0 }, { count: 0 }]
  client.query = ((...args: ReadonlyArray<unknown>) => {
    const result = send(...args)
    begun.count++
    const query = queue._queryQueue.at(-1) ?? queue._activeQuery
    const { callback } = query
    if (callback === undefined) void query.then!(() => ended.count++)
    else
      query.callback = (...results) => {
        ended.count++
        return callback(...results)
      }
    return result
  }) as pg.PoolClient["query"]
  return { begun: () => begun.count, ended: () => ended.count }
}

describe.skipIf(!hasPostgres())("joinTransaction with a client of a product", () => {
  it("commits on a client whose queries a tracer notes, and each of them ends", async () => {
    const noted = await inTransaction((store, client) =>
      Effect.gen(function* () {
        const queries = noteQueries(client)
        const joined = yield* store.joinTransaction!(client)
        yield* joined.store.commit([
          { _tag: "PutSetting", name: "a", value: "1" },
          { _tag: "AddToCounter", projectId: "prj_1" as never, name: "list:lst_1", by: 1, max: null }
        ])
        yield* joined.end(true)
        return [queries.begun(), queries.ended()]
      })
    )
    expect(noted[0]).toBeGreaterThan(0)
    expect(noted[1]).toBe(noted[0])
  })

  it("refuses an object of another library whose `query` returns rows, and leaves the transaction as it was", async () => {
    const [refusal, found] = await inTransaction((store, client) =>
      Effect.gen(function* () {
        // As the query runner of TypeORM and the transaction of pg-promise do.
        const runner = { query: async (...args: [string]) => (await client.query(...args)).rows }
        const refused = yield* Effect.flip(store.joinTransaction!(runner))
        return [refused, yield* Effect.promise(() => client.query("SELECT 1 AS one"))] as const
      })
    )
    expect(refusal).toMatchObject({
      _tag: "TransactionRefused",
      reason: "not_a_connection",
      message: expect.stringContaining("of another library")
    })
    expect(found.rows).toEqual([{ one: 1 }])
  })
})
