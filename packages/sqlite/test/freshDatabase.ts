/**
 * A read-only connection to the file of a new store, for tests of the schema and of query plans.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { open } from "./openedFile.ts"

/** Makes the store, and opens its file. `close` deletes it. */
export const openFreshDatabase = async () => {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-schema-"))
  const filename = join(folder, "mail.db")
  await Effect.runPromise(open(filename))
  const database = new Database(filename, { readonly: true })
  return {
    database,
    close: () => {
      database.close()
      rmSync(folder, { recursive: true })
    }
  }
}
