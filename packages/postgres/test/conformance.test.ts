import { storeLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { describe, expect, it } from "vitest"
import { migrations } from "../src/internal/migrations.ts"
import { allows, exceptions } from "./projectExceptions.ts"
import { unscopedTables } from "./projectScope.ts"
import { tablesWithProject } from "./projectTables.ts"
import { recordStatements } from "./recordedStatements.ts"
import { place, schemaNames } from "./storeUnderTest.ts"

const statements = recordStatements(schemaNames)

describe.skipIf(!hasPostgres())("the store", () => {
  conforms("postgres", storeLaws, { place, runs: 40 })

  it("names the project in each statement of a write, a claim and a sweep, unless there is a reason", async () => {
    const projectTables = tablesWithProject(migrations.map(({ sql }) => sql("mailkeep")))
    // `projectScope.test.ts` examines the statements of reads. They begin with `SELECT column1`.
    // Between two laws, one statement empties the tables and restarts their sequence.
    const writes = [...statements].filter(
      (sql) => !sql.startsWith("SELECT column1, ") && !sql.includes("ALTER SEQUENCE")
    )
    // Fewer statements mean that the laws of this file did not run.
    expect(writes.length).toBeGreaterThan(90)
    const used = new Set<unknown>()
    for (const sql of writes)
      for (const use of await unscopedTables(sql, projectTables)) {
        const reasons = exceptions.filter((one) => allows(one, sql)(use))
        expect(reasons, `${use.table} in: ${sql}`).not.toEqual([])
        for (const reason of reasons) used.add(reason)
      }
    expect(exceptions.filter((one) => !used.has(one))).toEqual([])
  })
})
