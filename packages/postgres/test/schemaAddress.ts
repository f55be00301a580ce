/**
 * The address of a store, as one text that goes to another process.
 */
import { PostgresMailStore } from "../src/index.ts"

const separator = " "

/** The address of the database, and the schema. */
export const addressOf = (argument: string) => {
  const [connectionString, schema] = argument.split(separator) as [string, string]
  return { connectionString, schema }
}

/** One text with the address of the database and the schema. */
export const addressIn = (connectionString: string, schema: string): string => connectionString + separator + schema

/** Opens the store at an address. */
export const openAddress = (argument: string) => PostgresMailStore.layer({ ...addressOf(argument), connectionsMax: 5 })
