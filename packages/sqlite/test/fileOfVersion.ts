/**
 * A file of an earlier version, for tests of its migration.
 */
import Database from "better-sqlite3"
import { migrations } from "../src/internal/migrations.ts"

/** Creates a file with the tables of the version, and returns a connection to it. */
export const createFileOfVersion = (filename: string, version: number): Database.Database => {
  const database = new Database(filename)
  // The third step calls it for each contact, and the file has none yet.
  database.function("mailkeep_case_fold", { deterministic: true }, (text) => text)
  for (const sql of migrations.slice(0, version)) database.exec(sql)
  database.prepare("UPDATE mailkeep_schema SET version = ?").run(version)
  return database
}
