/**
 * Gives the laws a store whose large tables have four partitions each.
 */
import { emptiedSchemas } from "./emptiedSchemas.ts"
import { newDatabase } from "./testServer.ts"

export { open } from "./storeUnderTest.ts"

export const placeWithPartitions = emptiedSchemas({
  database: newDatabase(),
  prefix: "partitions_",
  module: import.meta.url,
  partitions: 4
})
