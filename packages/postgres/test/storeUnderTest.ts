/**
 * Gives the laws a store whose tables are emptied for each law. The mutants run with this store: `MAILKEEP_MUTANT_DATABASE` is then the address of a
 * database that the run has made, and each mutant makes its tables once.
 */
import { emptiedSchemas } from "./emptiedSchemas.ts"
import { openAddress } from "./schemaAddress.ts"
import { newDatabase } from "./testServer.ts"

/** @public Imported by other processes. */
export const open = openAddress

/** The names of the schemas in a statement. */
export const schemaNames = /"?law_\d+_\d+"?/g

const database = process.env["MAILKEEP_MUTANT_DATABASE"]

export const place = emptiedSchemas({
  database: database === undefined ? newDatabase() : () => Promise.resolve(database),
  prefix: `law_${process.pid}_`,
  module: import.meta.url
})
