/**
 * Statements that the server has planned for empty tables are planned again when the tables have grown, before the server has statistics of them.
 */
import type { Query } from "@mailkeep/core/adapter"
import { MailStore } from "@mailkeep/core/adapter"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Context, Effect, Layer } from "effect"
import type { PoolClient } from "pg"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { makeOldPlans } from "../src/internal/oldPlans.ts"
import { fillWithoutStatistics, idOf, stopStatistics } from "./largeTables.ts"
import { testServer } from "./testServer.ts"

const limited = <A>(answer: Promise<A>) => answer

/** The tables that have grown, or the code with which the server refuses to say so. */
interface FakeServer {
  grown: ReadonlyArray<string> | { readonly code: string }
}

/** A connection to the server, which records what the server is asked. */
const fakeClient = (server: FakeServer) => {
  const sent: Array<string> = []
  const query = (sql: string) => {
    sent.push(sql.startsWith("DISCARD") ? "discard" : "look")
    const { grown } = server
    return "code" in grown
      ? Promise.reject(Object.assign(new Error("refused"), grown))
      : Promise.resolve({ rows: grown.map((id) => ({ id })) })
  }
  return { client: { query } as unknown as PoolClient, sent }
}

const seven = ["1", "2", "3", "4", "5", "6", "7"]

describe("makeOldPlans", () => {
  it("discards the plans of each connection once after a table has grown", async () => {
    const server: FakeServer = { grown: [] }
    const [one, other] = [fakeClient(server), fakeClient(server)]
    const { discard } = makeOldPlans('"mailkeep"', 0)
    for (const { client } of [one, other, one]) await discard(client, limited)
    server.grown = ["1"]
    for (const { client } of [one, other, one, other]) await discard(client, limited)
    expect(one.sent).toEqual(["look", "look", "look", "discard", "look"])
    expect(other.sent).toEqual(["look", "look", "discard", "look"])
  })

  it("keeps the plans of a connection that is new when tables have grown already", async () => {
    const { client, sent } = fakeClient({ grown: seven })
    const { discard } = makeOldPlans('"mailkeep"', 0)
    await discard(client, limited)
    await discard(client, limited)
    expect(sent).toEqual(["look", "look"])
  })

  it("keeps the plans when the server has lost its counts, and counts again", async () => {
    const server: FakeServer = { grown: seven }
    const { client, sent } = fakeClient(server)
    const { discard } = makeOldPlans('"mailkeep"', 0)
    for (const grown of [seven, [], seven.slice(3), seven]) {
      server.grown = grown
      await discard(client, limited)
    }
    expect(sent).not.toContain("discard")
  })

  it("discards the plans when another table has grown after the server has lost its counts", async () => {
    const server: FakeServer = { grown: seven }
    const { client, sent } = fakeClient(server)
    const { discard } = makeOldPlans('"mailkeep"', 0)
    await discard(client, limited)
    server.grown = ["8"]
    await discard(client, limited)
    expect(sent).toEqual(["look", "look", "discard"])
  })

  it("does not look again after the server has refused, and fails with every other failure", async () => {
    const refusing = fakeClient({ grown: { code: "42501" } })
    const { discard } = makeOldPlans('"mailkeep"', 0)
    await discard(refusing.client, limited)
    await discard(refusing.client, limited)
    expect(refusing.sent).toEqual(["look"])
    const ending = fakeClient({ grown: { code: "57P01" } })
    await expect(makeOldPlans('"mailkeep"', 0).discard(ending.client, limited)).rejects.toThrow("refused")
  })

  it("looks at the tables once in the interval, for all connections", async () => {
    const server: FakeServer = { grown: [] }
    const [one, other] = [fakeClient(server), fakeClient(server)]
    const { discard } = makeOldPlans('"mailkeep"', 3_600_000)
    for (const { client } of [one, other, one]) await discard(client, limited)
    expect([one.sent, other.sent]).toEqual([["look"], []])
  })
})

const projectId = "prj_0" as never

/** Each finds a record by a key, and its table has other indexes that begin with the project. */
const lookups: ReadonlyArray<readonly [name: string, query: Query, index: RegExp]> = [
  [
    "a contact by its address",
    { _tag: "ContactsByAddress", projectId, addresses: ["user4@mail.example"] },
    /contacts_by_address/
  ],
  // The id alone is as good.
  ["a delivery by its id", { _tag: "Delivery", projectId, id: idOf("del", 4) }, /deliveries_(pkey|by_id)/]
]

describe.skipIf(!hasPostgres())("a store that was opened on empty tables", () => {
  it.each(lookups)("finds %s by the index of the key when the table has grown", async (_, query, index) => {
    const server = await testServer()
    const connectionString = server.urlOf(await server.createDatabase())
    const client = new pg.Client({ connectionString })
    await client.connect()
    // All statements use one connection, so that its plans can be read.
    const pool = new pg.Pool({ connectionString, max: 1, pipeline: true })

    const program = Effect.gen(function* () {
      const store = yield* Layer.build(PostgresMailStore.layer({ pool })).pipe(Effect.map(Context.get(MailStore)))
      yield* Effect.promise(() => stopStatistics(client))
      const lookUp = store.read([query])
      for (let n = 0; n < 6; n++) yield* lookUp
      const plan = async () => {
        // A connection with work reports its new rows within about a second.
        await client.query("SELECT 1")
        await Effect.runPromise(lookUp)
        return planOf(pool)
      }
      yield* Effect.promise(async () => {
        expect(await plan()).not.toMatch(index)
        await fillWithoutStatistics(client, 4000)
        await expect.poll(plan).toMatch(index)
      })
    })
    await Effect.runPromise(Effect.scoped(program)).finally(() => Promise.all([pool.end(), client.end()]))
  })
})

/** The plan for all values that the server keeps for the lookup. Its parameters have no meaning for the plan. */
const planOf = async (pool: pg.Pool): Promise<string> => {
  const { rows } = await pool.query<{ readonly name: string; readonly parameters: number }>(
    "SELECT name, cardinality(parameter_types) AS parameters FROM pg_prepared_statements WHERE statement LIKE '%octet_length%'"
  )
  const { name, parameters } = rows[0]!
  const nulls = Array.from({ length: parameters }, () => "NULL").join(", ")
  const settings = "SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_sort = off; SET LOCAL jit = off"
  const results = await pool.query(`BEGIN; ${settings}; EXPLAIN EXECUTE ${name} (${nulls}); COMMIT`)
  const explained = (results as unknown as ReadonlyArray<pg.QueryResult<{ readonly "QUERY PLAN": string }>>).find(
    ({ command }) => command === "EXPLAIN"
  )
  return explained!.rows.map((row) => row["QUERY PLAN"]).join("\n")
}
