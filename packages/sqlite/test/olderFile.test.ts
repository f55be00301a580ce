/**
 * A file of an earlier version is migrated when a store opens it, and keeps its records.
 */
import { copyFileSync, existsSync } from "node:fs"
import type { Delivery } from "@mailkeep/core/adapter"
import { freshState } from "@mailkeep/core/adapter"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { SqliteMailStore } from "../src/index.ts"
import { migrate, migrations, schemaVersion } from "../src/internal/migrations.ts"
import { columnOf } from "../src/internal/recordTable.ts"
import { deliveries } from "../src/internal/tables.ts"
import { createFileOfVersion } from "./fileOfVersion.ts"
import { filesOfEachTest } from "./openedFile.ts"

const { file } = filesOfEachTest()

const suppressed: Delivery = {
  ...freshState,
  id: "del_1",
  projectId: "prj_1",
  messageId: "msg_1",
  kind: "to",
  recipient: "eve@example.org",
  address: "eve@example.org",
  contactId: null,
  source: "api",
  bulk: false,
  createdAt: 1,
  status: "suppressed",
  reason: "complaint",
  sequence: 1
}

/** Makes a file of the version with one delivery, in the columns that the version had. */
const makeFile = (filename: string, version: number) => {
  const database = createFileOfVersion(filename, version)
  const existing = database.prepare("SELECT name FROM pragma_table_info('mailkeep_deliveries')").pluck().all()
  const fields = deliveries.fields.filter((field) => existing.includes(columnOf(field)))
  database
    .prepare(
      `INSERT INTO mailkeep_deliveries (${fields.map(columnOf).join(", ")}) VALUES (${fields.map(() => "?").join(", ")})`
    )
    .run(...deliveries.valuesOf(suppressed, fields))
  database.close()
}

/** Opens the file with a store, which migrates it, and reads the delivery. */
const readDelivery = (filename: string) =>
  Effect.flatMap(SqliteMailStore.make({ filename, commitThread: "caller" }), (store) =>
    store.read([{ _tag: "Delivery", projectId: suppressed.projectId, id: suppressed.id }])
  ).pipe(Effect.scoped, Effect.runPromise)

/** Migrates the file. Before each of its statements, copies what is on the disk: a process that is killed then leaves the same files. */
const copiesDuringMigration = (filename: string): ReadonlyArray<string> => {
  const copies: Array<string> = []
  const database = new Database(filename)
  database.pragma("journal_mode = WAL")
  // Pages that no commit has made valid are written to the log at once.
  database.pragma("cache_spill = 1")
  database.pragma("cache_size = 1")
  const execute = database.exec.bind(database)
  database.exec = (sql) => {
    const copy = `${filename}.${copies.length}`
    for (const suffix of ["", "-wal"]) if (existsSync(filename + suffix)) copyFileSync(filename + suffix, copy + suffix)
    copies.push(copy)
    return execute(sql)
  }
  migrate(database)
  database.close()
  return copies
}

describe("a file of an earlier version", () => {
  it.each(migrations.slice(1).map((_, n) => n + 1))(
    "keeps its deliveries when a process is killed at any statement of its migration, from version %i",
    async (version) => {
      const filename = file()
      makeFile(filename, version)
      const copies = copiesDuringMigration(filename)
      // One statement begins, one of each step changes the tables, one writes the version, and one commits.
      expect(copies).toHaveLength(3 + schemaVersion - version)
      for (const copy of copies) expect(await readDelivery(copy)).toEqual([suppressed])
    }
  )

  it.each(migrations.map((_, n) => n + 1))("keeps its deliveries, from version %i", async (version) => {
    const filename = file()
    makeFile(filename, version)
    expect(await readDelivery(filename)).toEqual([suppressed])
    const database = new Database(filename, { readonly: true })
    expect(database.prepare("SELECT version FROM mailkeep_schema").pluck().get()).toBe(schemaVersion)
    database.close()
  })
})
