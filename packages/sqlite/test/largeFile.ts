/**
 * A store without records in a file that is too large for a scan on the caller's thread.
 */
import { readFileSync, writeFileSync } from "node:fs"
import Database from "better-sqlite3"
import { openConnection } from "../src/internal/openConnection.ts"

let contents: Uint8Array | undefined

/** Makes a file whose free pages take 2 MiB, and the tables of the store in it. */
const makeFirst = (filename: string): Uint8Array => {
  const database = new Database(filename)
  database.exec("CREATE TABLE filler (bytes); INSERT INTO filler VALUES (zeroblob(2 << 20)); DROP TABLE filler")
  database.close()
  openConnection(filename).close()
  return readFileSync(filename)
}

/** Makes the file. Only the first one of a process is not a copy, because each law has a file of its own. */
export const makeLargeFile = (filename: string): void => {
  if (contents === undefined) contents = makeFirst(filename)
  else writeFileSync(filename, contents)
}
