/**
 * A server that refuses to begin a transaction, as a late request to cancel makes it do. The statements behind have left already, and must write nothing.
 */
import { storeLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import type { Change } from "@mailkeep/core/adapter"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect } from "effect"
import pg from "pg"
import { afterAll, describe, expect, it } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { emptiedSchemas } from "./emptiedSchemas.ts"
import { addressOf } from "./schemaAddress.ts"
import { newDatabase, testServer } from "./testServer.ts"

/** Begins a commit, and no claim: a claim is one statement, which may run by itself. */
const beginsCommit = (text: string): boolean => text.startsWith("BEGIN ") && !text.includes("enable_sort")

/** A client whose server refuses to begin when `refuses` says so, with the code of a failure after which the store tries again. */
const refusingClient = (refuses: () => boolean) =>
  class extends pg.Client {
    override query(...parameters: ReadonlyArray<unknown>): never {
      const [sent] = parameters as readonly [unknown]
      const isRefused =
        typeof sent === "object" && sent !== null && "text" in sent && beginsCommit(String(sent.text)) && refuses()
      const refused = {
        ...(sent as object),
        text: "DO $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '40001'; END $$"
      }
      return super.query(...((isRefused ? [refused] : parameters) as [string])) as never
    }
  }

let refusals = 0
const pools: Array<pg.Pool> = []

/** Refuses every third beginning, in an order without a pattern. */
const isRefused = (() => {
  let state = 1
  return (): boolean => {
    state = (state * 48_271) % 2_147_483_647
    return state % 3 === 0
  }
})()

const open = (argument: string) => {
  const { connectionString, schema } = addressOf(argument)
  const Client = refusingClient(() => {
    const refuses = isRefused()
    if (refuses) refusals++
    return refuses
  })
  const pool = new pg.Pool({ connectionString, max: 5, pipeline: true, allowExitOnIdle: true, Client })
  pools.push(pool)
  return PostgresMailStore.layer({ pool, schema })
}

const place = emptiedSchemas({ database: newDatabase(), prefix: "refused_", module: import.meta.url, openStore: open })

const laws = storeLaws.laws.filter(({ id }) => id.startsWith("differential/"))

describe.skipIf(!hasPostgres())("a store of which every third transaction is refused", () => {
  afterAll(async () => {
    for (const pool of pools) await pool.end()
  })

  conforms("postgres", { ...storeLaws, laws }, { place, runs: 10 })

  it("refuses more than 50 transactions while the laws run", () => {
    expect(refusals).toBeGreaterThan(50)
  })

  it("keeps nothing of a commit whose guard does not hold", async () => {
    const server = await testServer()
    const connectionString = server.urlOf(await server.createDatabase())
    let refuses = false
    const Client = refusingClient(() => {
      const now = refuses
      refuses = false
      return now
    })
    const pool = new pg.Pool({ connectionString, max: 2, pipeline: true, Client })
    const projectId = "prj_1" as never
    const refusedCommit: ReadonlyArray<Change> = [
      { _tag: "PutSetting", name: "a", value: "x" },
      { _tag: "AddToCounter", projectId, name: "allowance", by: 1, max: 0 }
    ]
    const program = Effect.gen(function* () {
      const store = yield* PostgresMailStore.make({ pool })
      refuses = true
      const conflict = yield* Effect.flip(store.commit(refusedCommit))
      const answers = yield* store.read([
        { _tag: "Setting", name: "a" },
        { _tag: "Counters", projectId, names: ["allowance"] }
      ])
      return [conflict, answers, refuses] as const
    })
    const [conflict, answers, isLeft] = await Effect.runPromise(Effect.scoped(program))
    expect(conflict).toMatchObject({ _tag: "Conflict", change: "AddToCounter" })
    expect([answers, isLeft]).toEqual([[null, [0]], false])
    await pool.end()
  })
})
