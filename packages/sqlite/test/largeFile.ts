/**
 * A file that is too large for a scan on the caller's thread, before a store is made in it.
 */
import Database from "better-sqlite3"

/** Makes a database without tables, whose free pages take 2 MiB. */
export const makeLargeFile = (filename: string): void => {
  const database = new Database(filename)
  database.exec("CREATE TABLE filler (bytes); INSERT INTO filler VALUES (zeroblob(2 << 20)); DROP TABLE filler")
  database.close()
}
