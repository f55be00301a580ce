/**
 * The numbered steps from an empty file to the newest schema, each in one transaction with its number.
 */
import type { Database } from "better-sqlite3"
import { sql as first } from "./migrations/0001.ts"
import { sql as second } from "./migrations/0002.ts"

const migrations = [first, second]

export const schemaVersion = migrations.length

/** `"MkSt"`: tells a Mailkeep store from any other SQLite file. */
export const applicationId = 0x4d6b5374

/** Brings the file to `schemaVersion`. Several processes may do so at once: each step looks again under the write lock. */
export const migrate = (database: Database): void => {
  for (let version = 0; version < schemaVersion; version++) {
    database.exec("BEGIN IMMEDIATE")
    try {
      if (database.pragma("user_version", { simple: true }) === version) {
        database.exec(migrations[version]!)
        database.pragma(`application_id = ${applicationId}`)
        database.pragma(`user_version = ${version + 1}`)
      }
      database.exec("COMMIT")
    } catch (cause) {
      if (database.inTransaction) database.exec("ROLLBACK")
      throw cause
    }
  }
}
