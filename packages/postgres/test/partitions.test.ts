import { hasPostgres, openWatched, startPostgres } from "@mailkeep/test-support/postgres"
import { Cause, Effect, Exit } from "effect"
import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import { makeDatabase } from "../src/internal/database.ts"
import type { Migration } from "../src/internal/migrations.ts"
import { migrateSchema, migrations } from "../src/internal/migrations.ts"
import { PostgresMailStore } from "../src/index.ts"
import { tablesWithProject } from "./projectTables.ts"
import { testServer } from "./testServer.ts"

/** As a later version could create them: a large table, and one without a project. */
const newTables: Migration = {
  sql: (schema) => `
CREATE TABLE ${schema}.notes (
  project_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  PRIMARY KEY (project_id, id)
);
CREATE TABLE ${schema}.machines (
  name text COLLATE "C" PRIMARY KEY
);
`,
  isBreaking: false
}

interface Table {
  readonly name: string
  readonly partitions: number
}

const open = async () => {
  const server = await testServer()
  const connectionString = server.urlOf(await server.createDatabase())
  const pool = new pg.Pool({ connectionString, max: 5, pipeline: true })
  onTestFinished(() => pool.end())
  const rows = async <Row>(sql: string) => (await pool.query(sql)).rows as ReadonlyArray<Row>
  return {
    pool,
    rows,
    store: (partitions?: number) =>
      PostgresMailStore.make({ pool, ...(partitions === undefined ? {} : { partitions }) }),
    /** The tables that are divided, in the order of their names. */
    divided: () =>
      rows<Table>(
        `SELECT p.relname AS name, count(*)::integer AS partitions FROM pg_inherits JOIN pg_class AS p ON p.oid = inhparent
WHERE p.relkind = 'p' AND p.relnamespace = 'mailkeep'::regnamespace GROUP BY 1 ORDER BY p.relname COLLATE "C"`
      )
  }
}

const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)

describe.skipIf(!hasPostgres())("the option partitions", () => {
  it("divides each table of a project, except for those that do not grow with the mail", async () => {
    const { store, divided } = await open()
    await run(Effect.scoped(store(4)))
    const whole = new Set(["api_keys", "domains", "resources"])
    const large = [...tablesWithProject(migrations.map(({ sql }) => sql("mailkeep")))].filter((one) => !whole.has(one))
    expect(large.length).toBeGreaterThan(10)
    expect(await divided()).toEqual(large.toSorted().map((name) => ({ name, partitions: 4 })))
  })

  it("gives each partition the storage options of its table", async () => {
    const { store, rows } = await open()
    await run(Effect.scoped(store(2)))
    const options = await rows<{ readonly relname: string; readonly reloptions: ReadonlyArray<string> }>(
      "SELECT relname, reloptions FROM pg_class WHERE relname LIKE 'attempts%' AND relkind IN ('r', 'p') ORDER BY relname"
    )
    const external = await rows(
      "SELECT relname AS name FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid WHERE attname = 'bytes' AND attstorage = 'e' ORDER BY 1"
    )
    expect(options).toEqual([
      { relname: "attempts", reloptions: null },
      { relname: "attempts_p0", reloptions: ["fillfactor=70"] },
      { relname: "attempts_p1", reloptions: ["fillfactor=70"] }
    ])
    expect(external).toEqual(["contents", "contents_p0", "contents_p1"].map((name) => ({ name })))
  })

  it("is not needed when the tables exist, and a later step divides its large tables too", async () => {
    const { pool, store, divided } = await open()
    await run(PostgresMailStore.migrate({ pool, partitions: 3 }))
    const answer = await run(
      Effect.scoped(
        Effect.gen(function* () {
          const { commit, read } = yield* store()
          yield* commit([{ _tag: "AddToCounter", projectId: "prj_1", name: "n", by: 2, limit: null } as never])
          return yield* read([{ _tag: "Counters", projectId: "prj_1" as never, names: ["n" as never] }])
        })
      )
    )
    const before = await divided()
    await run(migrateSchema(makeDatabase(pool), '"mailkeep"', { steps: [...migrations, newTables] }))
    const added = (await divided()).filter(({ name }) => before.every((one) => one.name !== name))
    expect([answer, new Set(before.map(({ partitions }) => partitions)), added]).toEqual([
      [[2]],
      new Set([3]),
      [{ name: "notes", partitions: 3 }]
    ])
  })

  it("leaves existing tables whole, also those of a later step", async () => {
    const { pool, store, divided } = await open()
    await run(Effect.scoped(store()))
    await run(Effect.scoped(store(4)))
    await run(migrateSchema(makeDatabase(pool), '"mailkeep"', { steps: [...migrations, newTables], partitions: 4 }))
    expect(await divided()).toEqual([])
  })

  it("says what to do when the server has no memory for the locks of all partitions, and creates nothing", async () => {
    const watched = openWatched({ isInMemory: true })
    onTestFinished(() => watched.close())
    const server = await startPostgres(watched, { max_locks_per_transaction: "20", max_connections: "20" })
    const connectionString = server.urlOf(await server.createDatabase())
    const failure = await run(Effect.flip(PostgresMailStore.migrate({ connectionString, partitions: 64 })))
    expect(failure.message).toMatch(
      /^PostgreSQL has no memory .* Increase `max_locks_per_transaction`, or use fewer partitions: /
    )
    const pool = new pg.Pool({ connectionString, max: 1 })
    onTestFinished(() => pool.end())
    const { rows } = await pool.query("SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace('mailkeep')")
    expect(rows).toEqual([])
    await run(PostgresMailStore.migrate({ connectionString, partitions: 2 }))
  })

  it.each([0, 1, 2.5, 65, Number.NaN])("refuses %s as the number of partitions", async (partitions) => {
    const { pool, store } = await open()
    for (const opening of [Effect.scoped(store(partitions)), PostgresMailStore.migrate({ pool, partitions })]) {
      const exit = await Effect.runPromiseExit(Effect.asVoid(opening))
      const defect = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
      expect(defect).toEqual(new RangeError("partitions must be an integer from 2 to 64."))
    }
  })
})
