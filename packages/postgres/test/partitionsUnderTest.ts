/**
 * Gives the laws a store whose large tables have four partitions each.
 */
import { emptiedSchemas } from "./emptiedSchemas.ts"
import { open as openStore } from "./storeUnderTest.ts"
import { newDatabase } from "./testServer.ts"

/** @public Imported by other processes. */
export const open = openStore

export const placeWithPartitions = emptiedSchemas({
  database: newDatabase(),
  prefix: "partitions_",
  module: import.meta.url,
  partitions: 4
})
