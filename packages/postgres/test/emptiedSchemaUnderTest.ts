/**
 * Gives the laws a store whose tables are emptied for each law. The mutants run with this store: `MAILKEEP_MUTANT_DATABASE` is then the address of a
 * database that the run has made, and each mutant makes its tables once.
 */
import { emptiedSchemas } from "./emptiedSchemas.ts"
import { open as openStore } from "./storeUnderTest.ts"
import { newDatabase } from "./testServer.ts"

/** @public Imported by other processes. */
export const open = openStore

const database = process.env["MAILKEEP_MUTANT_DATABASE"]

export const place = emptiedSchemas({
  database: database === undefined ? newDatabase() : () => Promise.resolve(database),
  prefix: `laws_${process.pid}_`,
  module: import.meta.url
})
