/**
 * Gives the laws a store whose large tables have four partitions each.
 */
import { emptiedSchemas } from "./emptiedSchemas.ts"
import { testServer } from "./testServer.ts"

export { open } from "./storeUnderTest.ts"

let database: Promise<string> | undefined

const makeDatabase = async () => {
  const server = await testServer()
  return server.urlOf(await server.createDatabase())
}

export const partitions = 4

export const placeWithPartitions = emptiedSchemas({
  database: () => (database ??= makeDatabase()),
  prefix: "partitions_",
  module: import.meta.url,
  partitions
})
