/**
 * The store with which the mutants run. `MAILKEEP_MUTANT_DATABASE` is the address of a database that the run has made. A mutant of the tables needs
 * tables of its own, so each mutant makes them once.
 */
import { emptiedSchemas } from "./emptiedSchemas.ts"

export { open } from "./storeUnderTest.ts"

export const place = emptiedSchemas({
  database: () => Promise.resolve(process.env["MAILKEEP_MUTANT_DATABASE"] ?? ""),
  prefix: `mutant_${process.pid}_`,
  module: import.meta.url
})
