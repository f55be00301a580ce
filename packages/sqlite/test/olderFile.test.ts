/**
 * A file of an earlier version is migrated when a store opens it, and keeps its records.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Delivery } from "@mailkeep/core/adapter"
import { freshState } from "@mailkeep/core/adapter"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { SqliteMailStore } from "../src/index.ts"
import { migrations, schemaVersion } from "../src/internal/migrations.ts"
import { columnOf } from "../src/internal/recordTable.ts"
import { deliveries } from "../src/internal/tables.ts"
import { createFileOfVersion } from "./fileOfVersion.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mailkeep-older-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

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

describe("a file of an earlier version", () => {
  it.each(migrations.map((_, n) => n + 1))("keeps its deliveries, from version %i", async (version) => {
    const filename = join(folder, "mail.db")
    makeFile(filename, version)
    const read = Effect.scoped(
      Effect.flatMap(SqliteMailStore.make({ filename }), (store) =>
        store.read([{ _tag: "Delivery", projectId: suppressed.projectId, id: suppressed.id }])
      )
    )
    expect(await Effect.runPromise(read)).toEqual([suppressed])
    const database = new Database(filename, { readonly: true })
    expect(database.prepare("SELECT version FROM mailkeep_schema").pluck().get()).toBe(schemaVersion)
    database.close()
  })
})
