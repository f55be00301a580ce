import type { Query } from "@mailkeep/core/adapter"
import { noContactFilters } from "@mailkeep/core/adapter"
import { expect, it } from "vitest"
import type { Connection, Database } from "../src/internal/database.ts"
import { answerQueries } from "../src/internal/read/answerQueries.ts"

const setting: Query = { _tag: "Setting", name: "s" }
const scan: Query = {
  _tag: "ContactScan",
  projectId: "prj_1" as never,
  filters: noContactFilters,
  after: null,
  skip: 0,
  limit: 1,
  scanLimit: 1
}

/** Reads on a connection without a server. Returns the statements that the server may keep, and whether it is to plan them for all values. */
const planOf = async (queries: ReadonlyArray<Query>) => {
  let kept = 0
  const sent: Array<string> = []
  const query: Connection["query"] = async (sql) => {
    sent.push(sql)
    return []
  }
  const prepared: Connection["prepared"] = async (sql) => {
    kept++
    return query(sql)
  }
  const database: Database = { use: (run) => run({ query, prepared }) }
  await answerQueries(database, "mailkeep", queries)
  return { kept, isForAll: sent.some((sql) => sql.includes("plan_cache_mode = force_generic_plan")) }
}

it("plans a read for all values, and a scan of contacts for its own", async () => {
  expect(await planOf([setting])).toEqual({ kept: 1, isForAll: true })
  expect(await planOf([scan])).toEqual({ kept: 0, isForAll: false })
  expect(await planOf([setting, scan])).toEqual({ kept: 0, isForAll: false })
})
