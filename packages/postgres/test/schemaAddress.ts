/**
 * The address of a store, as one text that goes to another process, and how a store is opened at it.
 */
import { Pool } from "pg"
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

const pools = new Map<string, Pool>()

/** A pool of the product that all stores of this process use. The server makes a process for each connection, and it begins with empty caches. */
export const sharedPool = (connectionString: string): Pool => {
  const existing = pools.get(connectionString)
  if (existing !== undefined) return existing
  const made = new Pool({ connectionString, max: 10, pipeline: true, allowExitOnIdle: true })
  pools.set(connectionString, made)
  return made
}

/** Opens the store at an address with the shared pool. */
export const openWithSharedPool = (argument: string) => {
  const { connectionString, schema } = addressOf(argument)
  return PostgresMailStore.layer({ pool: sharedPool(connectionString), schema })
}
